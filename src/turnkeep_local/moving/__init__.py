"""Moving in: threads in tables that other savers wrote become threads of this deployment, each whole or not at all.

`savers` reads, `carrying` and `states` make turns and a checkpoint of it, `arrivals` writes, `moves` does it all.
"""
