"""The SQL store: one schema and one code path for SQLite and PostgreSQL. Only wiring imports this package."""
