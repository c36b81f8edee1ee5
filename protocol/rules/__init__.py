"""Label verification: a module for each rule, and one table of all rules, which everything else asks."""
