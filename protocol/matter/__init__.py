"""A matter as entries say it: terms, the state machine, Trent's moves, claims. No I/O but reading a stored matter."""
