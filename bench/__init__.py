"""What the ledger costs above what cannot be avoided."""
