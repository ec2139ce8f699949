"""The native routes."""
