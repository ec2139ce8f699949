"""A project with your own graphs, from the folder that `turnkeep new` makes to the one that `sam deploy` sends."""
