"""Protocols between the workflows and what they run on. A port says what must be true, in few methods."""
