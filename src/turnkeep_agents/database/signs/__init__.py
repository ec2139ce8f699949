"""What in a message speaks for which route."""
