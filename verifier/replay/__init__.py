"""A matter replayed from its entries: what each may say, what follows from it, and who broke which rule."""
