"""What code can find in a statement that the guard accepts. It knows schema and rows, not what the question meant."""
