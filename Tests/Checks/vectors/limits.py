"""Whether the schema and the README agree with the reader on every limit: `limits.json` says what may stand in
`sample.json`, and the tests of OTPVectors hold the reader to the same rows.
"""

import json
import re
from pathlib import Path

import jsonschema

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parents[2] / "vectors"

validator = jsonschema.Draft202012Validator(json.loads((VECTORS / "schema.json").read_text(encoding="utf-8")))
readme = re.sub(r"\s+", " ", (VECTORS / "README.md").read_text(encoding="utf-8"))
sample = (HERE / "sample.json").read_text(encoding="utf-8")
rows = json.loads((HERE / "limits.json").read_text(encoding="utf-8"))["rows"]


def is_valid(old: str, new: str) -> bool:
    """Whether the schema takes the sample with one text, which stands in it once, replaced."""
    assert sample.count(old) == 1, f"{old} stands in sample.json {sample.count(old)} times"
    return validator.is_valid(json.loads(sample.replace(old, new)))


count = 0
assert validator.is_valid(json.loads(sample)), "sample.json"
for row in rows:
    assert row["says"] in readme, f"README.md does not say: {row['says']}"
    for field, expected in (("accepted", True), ("refused", False), ("unseen", True)):
        for new in row.get(field, []):
            assert is_valid(row["old"], new) == expected, f"{field}, but not by the schema: {new}"
            count += 1
print(f"vectors: {count} limits are the schema's")
