"""The cheating catalogue: simulated parties that cheat with their own keys, and what must catch them."""
