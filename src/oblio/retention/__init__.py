"""Retention: the same eraser with a clock."""
