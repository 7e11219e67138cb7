"""`python -m oblio`: the same as the command `oblio`."""

from oblio.cli.main import main

main()
