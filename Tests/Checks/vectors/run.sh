#!/usr/bin/env bash
# The committed vector files are what their generator writes, follow the published schema, and agree with oathtool; the
# released tests are unchanged; the schema enforces the limits that the README states; and the generator's implementation
# of sealed records and libotp read each other's.
set -euo pipefail
cd "$(dirname "$0")/../../../vectors"
export PYTHONDONTWRITEBYTECODE=1

/usr/bin/python3 generate.py --check --cross-check
/usr/bin/python3 ../Tests/Checks/vectors/limits.py
/usr/bin/python3 - ./*.json <<'PYTHON'
import json, sys
import jsonschema

with open("schema.json", encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.validators.validator_for(schema).check_schema(schema)
validator = jsonschema.validators.validator_for(schema)(schema)
tests = 0
for path in sys.argv[1:]:
    if path == "./schema.json":
        continue
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    validator.validate(vectors)
    tests += sum(len(group["tests"]) for group in vectors["groups"])
assert tests >= 250, f"only {tests} tests"
print(f"vectors: {tests} tests in {len(sys.argv) - 2} files follow the schema")
PYTHON

../LibOTP/build.sh > /dev/null
OTP_LIBRARY=$PWD/../.build-libotp/libotp.so.0 /usr/bin/python3 ../Tests/Checks/vectors/records.py
