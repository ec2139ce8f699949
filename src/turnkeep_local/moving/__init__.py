"""Threads from tables of other savers become threads of this deployment, each completely or not at all."""
