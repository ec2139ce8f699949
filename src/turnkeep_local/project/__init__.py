"""A project of one's own graphs, from the folder that `turnkeep new` makes to what `sam deploy` sends."""
