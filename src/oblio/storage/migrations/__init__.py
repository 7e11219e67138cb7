"""Steps from one schema to the next. Each is frozen: it says what the schema was, not what it is now."""
