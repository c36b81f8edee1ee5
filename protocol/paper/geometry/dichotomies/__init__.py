"""All the ways in which a hyperplane can part a small set of points, and those that fit given labels best.

The paper's "oracle that computes all optimal linear classifiers". Infinitely many classifiers part the points alike, so
the oracle lists dichotomies, each with one classifier that stands for it; `plane` does so by exact enumeration,
`search` by integer programming in any small dimension.
"""
