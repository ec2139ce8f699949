"""Threads in tables of other savers become threads of this deployment, each whole or not at all."""
