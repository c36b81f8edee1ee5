"""What spot checks and validations prove about recall, in exact integers.

Floats decide nothing. Where a real number decides, it is enclosed between two others, and they are brought closer
together until both give the same integer.
"""
