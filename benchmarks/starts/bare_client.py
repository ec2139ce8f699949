"""The least that a function on a table can be."""

import boto3

client = boto3.client("dynamodb")
