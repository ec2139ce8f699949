"""The demo model's rules for the agent `campaigns`."""
