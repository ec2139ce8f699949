"""Facts of a message in canonical form, Italian and English: a model names spans and kinds, code reads their values."""
