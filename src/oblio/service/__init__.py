"""The front door. It delegates and holds no rules."""
