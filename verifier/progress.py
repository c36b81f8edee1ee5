"""How long work tells what it does."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told what is being done, how far it has come, and how far it goes (0: not known)."""
