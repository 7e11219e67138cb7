"""Pure values and rules. No I/O, no clock, no third party."""
