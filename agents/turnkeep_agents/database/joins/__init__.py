"""The join graph: what tables there are and how they may be joined; built, checked, stored, searched."""
