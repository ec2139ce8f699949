"""`campaigns`: a team of specialists over the metrics of advertising campaigns. Code computes every figure, by SQL."""
