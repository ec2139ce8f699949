"""How the demo model reads a question about a database. `words` are cut and looked up, `subjects` says what is asked
for, `figures`, `conditions` and `times` what is said of it, `follow_ups` what a later line changes, `gaps` what no word
of the schema answers to."""
