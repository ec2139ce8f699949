"""Code for AWS only. This file imports nothing, so that each function loads only the modules it needs."""
