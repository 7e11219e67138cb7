"""Providers of epoch keys, one module each."""
