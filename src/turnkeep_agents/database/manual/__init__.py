"""The user manual: its pages, and answers out of them."""
