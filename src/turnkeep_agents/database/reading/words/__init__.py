"""How a message is cut into words, and what they can mean in a schema."""
