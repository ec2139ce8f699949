"""The products themselves: a file, what its rows say, and what of it is found."""
