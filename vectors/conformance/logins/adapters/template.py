#!/usr/bin/env python3
"""A template for a login of any kind: it starts nothing yet, and passes nothing. Over HTTP, begin with small_login.py.

Each method is a request of the protocol (../README.md). Delete those that the server has no way to do.
"""

from adapter import Adapter, Cannot, serve


class Mine(Adapter):
    """`self.folder` has folders for the server's data and logs, and the environment in which its clock can be set."""

    about = {"name": "mine", "version": "0"}

    def start(self):
        """Start the server with `start(command, self.folder.logs / "log", env=self.folder.environment())`."""

    def restart(self):
        """End it, and start it again on the same data."""
        raise Cannot("to be written")

    def end_all(self, how):
        """End it with that signal, for instance `end(self.process, how)`."""

    def user(self, user, password):
        """Make a user."""
        raise Cannot("to be written")

    def enroll(self, user):
        """Return {"secret": its base32} or {"uri": "otpauth://…"}."""
        raise Cannot("to be written")

    def confirm(self, user, code):
        """Finish the enrollment; return {"accepted": whether the code was right}."""
        raise Cannot("to be written")

    def begin(self, user, session, password, server=0):
        """Begin a login with the password, as `session`; return {"signed_in": whether that was enough}."""
        raise Cannot("to be written")

    def submit(self, session, code, route):
        """Submit a code; return {"accepted": whether it signed in, "status": …, "body": what the client sees}."""
        raise Cannot("to be written")


if __name__ == "__main__":
    serve(Mine())
