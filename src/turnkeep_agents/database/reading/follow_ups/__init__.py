"""What a later line changes in the question before it."""
