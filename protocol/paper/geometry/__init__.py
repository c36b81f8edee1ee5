"""Labelled points and linear classifiers: critical points, and all optimal classifiers of a small set."""
