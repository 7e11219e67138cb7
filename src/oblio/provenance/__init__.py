"""Provenance: derived items, what they were made from, and making them anew when a source is gone."""
