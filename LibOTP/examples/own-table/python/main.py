"""Keeps users' second factors in a column of a table: see factors.py, etcd_factors.py and ../README.md.

    main.py DATABASE KEYRING WORKERS < requests
"""

import os
import sys
import threading
import time

import otp
from etcd_factors import EtcdFactors
from factors import Factors


def serve(factors: Factors, number: str = "", request: str = "", user: str = "", code: str = "", *_: str) -> str:
    """Answers a request: its number, `enroll`, `confirm` or `sign-in`, the user, and the code."""
    now = int(time.time()) + int(os.environ.get("CLOCK_OFFSET", "0s").rstrip("s"))
    try:
        if request == "enroll":
            return f"{number} {factors.enroll(int(user), now) or ''}"
        answer = (factors.confirm if request == "confirm" else factors.sign_in)(int(user), code, now)
        return f"{number} {answer.kind.name.lower()}"
    except Exception as error:
        return f"{number} error {error}"


def work(database: str, keyring: otp.Keyring, lock: threading.Lock) -> None:
    factors = (EtcdFactors if database.startswith("http") else Factors)(database, keyring)
    while True:
        with lock:
            line = sys.stdin.readline()
        if not line:
            return
        sys.stdout.write(serve(factors, *line.split()) + "\n")
        sys.stdout.flush()


def main(database: str, path: str, workers: str) -> None:
    keyring, lock = otp.Keyring.open(path), threading.Lock()
    threads = [threading.Thread(target=work, args=(database, keyring, lock)) for _ in range(int(workers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
