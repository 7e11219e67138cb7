"""Rules of the write gate, one file per category."""
