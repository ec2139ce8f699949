"""Pure building blocks that agents share; models and retrievers are passed in as arguments."""
