"""Five applications of Turnkeep, strangers to each other, each on one plan: graph, state, prompts, settings, reading,
nodes, answers."""
