"""A model of the key protocol that can be explored exhaustively, and mistakes that the exploration must find."""
