"""Consent per purpose and basis: granted on a notice, withdrawn at once."""
