"""Engines: who carries work on. The rows are the queue."""
