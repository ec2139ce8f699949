"""How results are told: the table below the answer, what a model is told of them, what its words are held
against."""
