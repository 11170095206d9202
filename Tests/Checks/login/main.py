"""A second factor on the example's pages, from enrollment to removal, and what the example refuses.

    main.py [TEST...]
"""
import sys
import traceback

import guards
import users
from example import running


def main():
    failed = passed = 0
    with running("--attempts", "1000") as site:
        for test in (*users.TESTS, *guards.TESTS):
            if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
                continue
            try:
                test(site)
                passed += 1
            except Exception:
                failed += 1
                traceback.print_exc()
                print(f"FAILED: {test.__name__}", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
