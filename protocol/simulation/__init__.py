"""Simulated matters: one program plays all parties, each of which knows only what a real one would know."""
