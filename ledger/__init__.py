"""Signed, hash-chained records that can be disclosed in part. Nothing here knows about e-discovery."""
