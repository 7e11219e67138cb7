"""The command line. It prints, asks and exits; what it prints about is decided below."""
