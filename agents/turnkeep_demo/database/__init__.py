"""What the demo model says for the agent `database`."""
