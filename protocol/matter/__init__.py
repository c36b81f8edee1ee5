"""A matter, as its entries tell it: terms, state, Trent's moves, claims. The only I/O is reading a stored matter."""
