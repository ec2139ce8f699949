"""Which days a question speaks of, and of which date."""
