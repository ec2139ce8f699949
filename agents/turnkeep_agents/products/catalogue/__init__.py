"""The products: the file, its rows, and the search."""
