"""The independent verifier: it shares no code with `ledger` or `protocol`, so a bug must be made twice to go unseen."""
