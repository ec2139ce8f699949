"""A folder of Markdown or text pages, as sections that can be searched and cited."""
