"""Questions over a large SQL database, a user manual, and the rest."""
