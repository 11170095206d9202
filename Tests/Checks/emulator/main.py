"""Runs the tests of the named modules, each module on its own emulator."""
import contextlib
import importlib
import sys
import traceback

from client import Emulator, running


def main():
    failed = passed = 0
    for name in sys.argv[1:]:
        module = importlib.import_module(name)
        arguments = getattr(module, "ARGUMENTS", [])
        with contextlib.nullcontext() if arguments is None else running(*arguments) as server:
            for test in module.ALL:
                try:
                    Emulator.tests.append([])
                    test(server)
                    passed += 1
                except Exception:
                    failed += 1
                    traceback.print_exc()
                    print(f"FAILED: {name}.{test.__name__}", file=sys.stderr)
            if server and server.process.poll() is not None:
                sys.exit(f"{name}: the emulator has ended")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
