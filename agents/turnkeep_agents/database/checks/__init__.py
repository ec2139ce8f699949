"""What code can tell of a statement that the guard lets through. All of it is facts of the schema or of the rows; what
the question meant is not judged here."""
