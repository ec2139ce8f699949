"""How the demo model writes SQL, and how rows are told."""
