#!/usr/bin/env python3
"""Programs that CALL otp.verify, by a driver of any language, on the server of Scripts/postgresql.sh. It has the
extension otp_record, and the clock of hosts/clock.c, whose file is $OTP_CALL_CLOCK; SIGKILL ends the server.

    call.py COMMAND... [--and COMMAND...]    with psql's variables for the driver, and Tests/Checks/stores in PYTHONPATH
"""

import itertools
import os
import signal
import sys

from adapter import Cannot, serve
from own_table import OwnTable
from servers import Servers


class CallTable(OwnTable):
    """Two programs, or each of several. The rules are the server's, and so is the time."""

    about = OwnTable.about | {"features": [], "configured": "`LibOTP/postgresql`, programs on one server"}

    def start(self):
        self.run = os.urandom(4).hex()
        self.time(0)

    def arguments(self, number):
        return ()

    def line(self, request, user, code=""):
        return f"{request.replace('sign-in', 'verify')} {user}-{self.run} {code}".rstrip()

    def asked(self, request, user, code, server=0):
        if "\0" in code:
            raise Cannot("PostgreSQL's texts have no NUL")
        return super().asked(request, user, code, server)

    def time(self, offset, server=None):
        with open(os.environ["OTP_CALL_CLOCK"], "r+b") as file:
            file.write(f"{offset:+021d}s".encode().ljust(32, b"\n"))

    def kill(self):
        self.is_up = False
        Servers().kill()
        self.end_all(signal.SIGKILL)

    def replace(self, session):
        raise Cannot("its program ends with an error")

    def kept(self):
        return {"data": [], "logs": [str(self.folder.logs), os.environ["OTP_POSTGRESQL_FOLDER"] + "/log"]}


if __name__ == "__main__":
    parts = itertools.groupby(sys.argv[1:], lambda word: word == "--and")
    serve(CallTable([list(part) for is_end, part in parts if not is_end]))
