"""The Merkle log of what happened, its signed checkpoints, and the documents that prove an entry."""
