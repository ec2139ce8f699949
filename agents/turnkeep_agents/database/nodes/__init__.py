"""The nodes and routers of the two graphs."""
