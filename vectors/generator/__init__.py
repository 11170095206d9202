"""Everything that `generate.py` needs to write the vector files: reference code, cases and layout."""
