"""Replaces a model and data, so that a first run works offline. It answers correctly or declines."""
