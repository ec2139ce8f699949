"""Chat models: which one a deployment uses, how an inner call is made, what it costs, how its faults are named."""
