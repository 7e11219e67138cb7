"""Chat history: conversations and messages, and reading those of other systems."""
