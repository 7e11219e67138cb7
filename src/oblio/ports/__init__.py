"""Protocols between the workflows and what they run on: few methods each, and what has to hold when one returns."""
