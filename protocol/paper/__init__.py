"""The paper, run again: its experiments, its theorems as numbers, and the geometry of critical points."""
