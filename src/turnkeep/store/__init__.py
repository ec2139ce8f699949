"""Threads, turns and checkpoints on DynamoDB, large values on S3. Synchronous; nothing here runs a graph."""
