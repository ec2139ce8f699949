"""Protection that remains if the guard fails: read-only sessions, secure views, and limits of time, rows and bytes."""
