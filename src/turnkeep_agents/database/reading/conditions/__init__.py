"""Which rows count: values, figures, names, roles, and what rows have or lack."""
