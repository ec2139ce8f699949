"""Chat models: selection, inner calls, costs and faults."""
