"""Requests by Schemathesis, generated from the emulator's own description: no response is a 500, and all are JSON."""
import os
import re
import subprocess
import sys

from client import running

LEAST = 10_000
# 501 means a known method that is not implemented.
CONFIGURATION = '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", 501]\n'
CHECKS = "not_a_server_error,content_type_conformance,response_schema_conformance"


def main():
    with open("schemathesis.toml", "w", encoding="utf-8") as file:
        file.write(CONFIGURATION)
    with running() as server:
        ended = subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "schemathesis"), "--config-file", "schemathesis.toml",
             "run", f"http://127.0.0.1:{server.port}/emulator/openapi.json", "--checks", CHECKS, "--phases",
             "coverage,fuzzing", "--max-examples", "14", "--workers", "2", "--seed", "1", "--no-color", "--warnings",
             "off", "--header", "Authorization: Bearer owner"], stdout=subprocess.PIPE, text=True, check=False)
        if server.process.poll() is not None:
            sys.exit("fuzz: the emulator has ended")
    found = re.search(r"(\d+) generated, (\d+) passed", ended.stdout)
    if ended.returncode or not found or int(found[1]) < LEAST:
        sys.exit(ended.stdout)
    print(f"{found[2]} of {found[1]} requests by Schemathesis are answered as described")


if __name__ == "__main__":
    main()
