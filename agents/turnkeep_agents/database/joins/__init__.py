"""The join graph: which tables there are and how they can be joined. Built, checked, stored and searched here."""
