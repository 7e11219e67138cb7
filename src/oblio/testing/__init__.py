"""Fakes and conformance suites. Nothing shipped imports this package."""
