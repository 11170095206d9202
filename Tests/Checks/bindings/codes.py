#!/usr/bin/env python3
"""Runs the tool as the examples of otp.1 have it, and does what a person does: enrolls the app, and types its codes.

OTP_TOOL is the tool. In an argument list, 123456 stands for the code that the person sees.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

TOOL = os.environ["OTP_TOOL"]
APP = Path.home() / ".app.json"
STEP = 30


def code(*options):
    """A code, by the tool itself, which other checks compare with the RFCs."""
    return subprocess.run([TOOL, "generate", *options], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def enroll(arguments):
    """Enrolls, and keeps the secret as an app would."""
    with subprocess.Popen([TOOL, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tool:
        lines = []
        while not lines or not lines[-1].startswith("secret="):
            line = tool.stdout.readline()
            assert line, f"no secret: {lines}"
            lines.append(line)
        secret = lines[-1].strip().removeprefix("secret=")
        is_token = "hotp" in arguments
        kind = ["--type", "hotp", "--counter", "0"] if is_token else []
        tool.stdin.write(code("--secret", secret, *kind) + "\n")
        tool.stdin.close()
        print("".join(lines) + tool.stdout.read(), end="")
    app = json.loads(APP.read_text()) if APP.exists() else {}
    app["token" if is_token else "app"] = secret
    # Each code is accepted once, so the next one is that of a later step.
    app.setdefault("used", 0)
    APP.write_text(json.dumps(app))
    return tool.wait()


def next_code(is_used=True):
    """The next code of the app."""
    app = json.loads(APP.read_text())
    app["used"] += 1
    if is_used:
        APP.write_text(json.dumps(app))
    now = int(subprocess.run(["date", "+%s"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    return code("--secret", app["app"], "--at", str(now + STEP * app["used"]))


def main():
    """Run the command."""
    arguments, typed = sys.argv[1:], None
    if arguments[0] == "enroll":
        return enroll(arguments)
    if "123456" in arguments:
        place = arguments.index("123456")
        if "--secret-file" in arguments:
            arguments[place] = code("--secret-file", arguments[arguments.index("--secret-file") + 1])
        else:
            arguments[place] = next_code(is_used=arguments[0] != "explain")
    if "--resync" in arguments:
        token = ["enroll", arguments[1], "--type", "hotp", "--name", "Token", "--code", next_code()]
        assert enroll(token) == 0
        secret = json.loads(APP.read_text())["token"]
        typed = "".join(code("--secret", secret, "--type", "hotp", "--counter", str(n)) + "\n" for n in (40, 41))
    return subprocess.run([TOOL, *arguments], input=typed, text=True, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
