"""The commands that a user types; protocol/cli.py puts them together."""
