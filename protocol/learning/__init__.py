"""Continuous active learning, exactly: models with certificates, scores, batches."""
