"""Processing of an uploaded file until its text can be read."""

from turnkeep.documents.pipeline import Pipeline

__all__ = ["Pipeline"]
