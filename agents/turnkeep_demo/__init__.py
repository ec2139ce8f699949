"""Stands in for a model and for data, so that a first run works offline. It is right or says that it cannot."""
