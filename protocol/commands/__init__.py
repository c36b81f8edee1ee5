"""What a user types: each module brings commands, protocol/cli.py puts them together."""
