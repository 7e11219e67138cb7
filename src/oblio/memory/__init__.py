"""Memories: written with consent through the filter, listed, corrected, and taken out of messages."""
