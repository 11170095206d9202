"""Runs the tests of modules, each module on a server of its own.

    main.py SERVER MODULE...     SERVER is the module that starts one: `client`, or `example`

A module's tests are ALL that it names, or else its functions with one parameter.
"""
import contextlib
import importlib
import inspect
import re
import subprocess
import sys
import threading
import traceback

from adapter import end, start


@contextlib.contextmanager
def running_program(command, log, address, on_line):
    """A program as long as the context, and the group of the pattern for the address that it prints. `on_line` gets
    each line of its output."""
    process = start(command, log, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            on_line(line)
            if found := re.search(address, line):
                break
        else:
            raise AssertionError(f"it does not start: {command}")
        threading.Thread(target=lambda: list(map(on_line, process.stdout)), daemon=True).start()
        yield process, found[1]
    finally:
        end(process)


def tests(module):
    return getattr(module, "ALL", None) or [
        function for function in vars(module).values()
        if inspect.isfunction(function) and function.__module__ == module.__name__
        and function.__code__.co_argcount == 1]


def main():
    failed = passed = 0
    started_by, *modules = map(importlib.import_module, sys.argv[1:])
    for module in modules:
        arguments = getattr(module, "ARGUMENTS", [])
        with contextlib.nullcontext() if arguments is None else started_by.running(*arguments) as server:
            for test in tests(module):
                try:
                    test(server)
                    passed += 1
                except Exception:
                    failed += 1
                    traceback.print_exc()
                    print(f"FAILED: {module.__name__}.{test.__name__}", file=sys.stderr)
            if server and server.process.poll() is not None:
                sys.exit(f"{module.__name__}: the server has ended")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
