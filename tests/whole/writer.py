"""A process that puts items into the store of a folder and says each one that was acknowledged. Run, then killed."""

import os
import sys
from pathlib import Path

from turnkeep.store.opening import make_table
from turnkeep_local.clients import dynamodb_client
from turnkeep_local.dynamodb import open_store
from turnkeep_local.home import Home

TABLE = "durable"


def main() -> None:
    home = Home(Path(sys.argv[1]))
    with open_store(home, os.environ, print) as store:
        client = dynamodb_client(store, os.environ)
        make_table(client, TABLE)
        print("process", home.process.read_text(), flush=True)
        for number in range(int(sys.argv[2]), 1_000_000):
            item = {"PK": {"S": "t"}, "SK": {"S": f"{number:07d}"}, "data": {"B": os.urandom(1500)}}
            client.put_item(TableName=TABLE, Item=item)
            print(number, flush=True)


if __name__ == "__main__":
    main()
