"""The gate in front of every write: it cuts out or turns away what should not be remembered, before it is stored."""
