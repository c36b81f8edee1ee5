"""An append-only log in the form of C2SP: tlog-tiles, tlog-checkpoint, tlog-proof, tlog-policy and tlog-witness.

Its leaves are bytes. What they mean is known to those who add them.
"""
