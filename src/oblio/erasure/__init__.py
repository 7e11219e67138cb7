"""Erasure: planning, destroying, verifying, proving; resumable at every point."""
