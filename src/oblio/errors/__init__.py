"""Every error that Oblio raises on purpose, one file a noun."""
