"""`otp`, this engine's command-line tool: a process for each request, and so no timing."""

import json
import subprocess
import sys

from adapter import need, serve

PROGRAM = sys.argv[1]


def run(*words, secret=None):
    """The tool's JSON; a refusal is a ValueError."""
    ran = subprocess.run([PROGRAM, *words, "--json"], input=secret, capture_output=True, text=True, check=False)
    if ran.returncode in (64, 65):
        raise ValueError
    need(ran.returncode in (0, 1))
    return json.loads(ran.stdout)
