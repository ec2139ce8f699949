"""Pure parts that every agent is built of; models and retrievers come in as arguments."""
