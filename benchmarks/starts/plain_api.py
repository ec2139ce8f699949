"""A function as tutorials write it: one route, a client of its table, Mangum."""

import boto3
from fastapi import FastAPI
from mangum import Mangum

app = FastAPI()
client = boto3.client("dynamodb")


@app.get("/")
def hello() -> dict[str, str]:
    return {"hello": "world"}


handler = Mangum(app, lifespan="off")
