"""From the words of a message to a request, by rules."""
