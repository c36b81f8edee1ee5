"""Simulated matters: one program plays all parties, each with no more than a real one would hold."""
