"""The rules that decide, in ranks and integers: logarithms, coins, label verification, the hidden-document bound."""
