"""Documents of a thread: parsing, and the pipeline from an upload to text."""
