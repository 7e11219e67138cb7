"""Recall: which of one person's memories answer a question."""
