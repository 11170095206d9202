"""Runs the tests of modules, each module on a server of its own.

    main.py SERVER MODULE...     SERVER is the module that starts one: `client`, or `example` of the check `login`

A module's tests are ALL that it names, or else its functions with one parameter.
"""
import contextlib
import importlib
import inspect
import sys
import traceback


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
