"""Readers of past conversations in the formats of other systems. They read; nothing here stores or judges a text."""
