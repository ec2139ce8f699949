"""Turnkeep: conversational agents with memory on serverless AWS."""

__version__ = "0.1.0"
