"""One module a revision, oldest first; only `oblio.storage.upgrade` loads them."""
