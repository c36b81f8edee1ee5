"""The sealed corpus: leaves, feature rows, models and rankings recomputed. Only this part needs numpy."""
