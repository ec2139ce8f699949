"""What holds even where the filter fails: read-only sessions, secure views, limits of time, rows and bytes."""
