"""The arithmetic of spot checks and certificates: what coins prove about recall, in exact integers."""
