"""The rules that decide what Bob sees, a module each, in one table; and what they share: terms, coins."""
