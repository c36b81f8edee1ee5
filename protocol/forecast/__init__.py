"""What terms will cost, before anybody signs them: a simulation over counts, without a corpus, keys or a record.

Its random numbers decide nothing in a record, so they may come from a library. What the coins prove is computed by
`protocol.certificates`, as in a real matter.
"""
