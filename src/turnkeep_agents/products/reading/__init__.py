"""From the words of a message to what it wants of the catalogue, by rules."""
