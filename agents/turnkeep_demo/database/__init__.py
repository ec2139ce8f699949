"""The demo model's rules for the agent `database`."""
