"""The independent verifier: shares no code with `ledger` or `protocol`, so that a bug must be made twice to hide."""
