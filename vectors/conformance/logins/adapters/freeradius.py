#!/usr/bin/env python3
"""FreeRADIUS with its module rlm_totp: Debian's server in the foreground, a request for each code.

    freeradius.py
"""

import base64
import contextlib
import hashlib
import hmac
import secrets
import socket
import struct
import time

from adapter import Cannot, WithoutSessions, debian, serve, start

USERS = 2000
CONFIGURATION = """
name = freeradius
libdir = /usr/lib/freeradius
logdir = {logs}
run_dir = {path}
security {{
  reject_delay = 0
}}
modules {{
  files {{
    usersfile = {data}/users
  }}
  totp {{
  }}
}}
client suite {{
  ipaddr = 127.0.0.1
  secret = suite
  require_message_authenticator = yes
}}
server default {{
  listen {{
    type = auth
    ipaddr = 127.0.0.1
    port = {port}
  }}
  authorize {{
    files
    update request {{
      &TOTP-Password := "%{{User-Password}}"
    }}
  }}
  authenticate {{
    Auth-Type TOTP {{
      totp
    }}
  }}
}}
"""


class FreeRADIUS(WithoutSessions):
    """The users are there from the start, each with a secret."""

    about = debian("freeradius") | {
        "configured": "as `mods-available/totp` says, with secrets in `users` and no password; `reject_delay = 0`, "
                      "since the second after a failure limits nothing"}

    def start(self):
        self.secrets = {f"user{number}": base64.b32encode(secrets.token_bytes(20)).decode() for number in range(USERS)}
        (self.folder.data / "users").write_text("".join(
            f'{user} Auth-Type := TOTP, TOTP-Secret := "{secret}"\n' for user, secret in self.secrets.items()))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (self.folder.path / "radiusd.conf").write_text(CONFIGURATION.format(
            logs=self.folder.logs, path=self.folder.path, data=self.folder.data, port=self.port))
        self.restart()

    def restart(self):
        super().restart()
        self.processes = [start(["/usr/sbin/freeradius", "-f", "-l", "stdout", "-n", "radiusd", "-d",
                                 str(self.folder.path)], self.folder.logs / "log", env=self.folder.environment())]
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.ask("nobody", b"000000", 0.2)
                return
            time.sleep(0.1)
        raise RuntimeError("the server does not answer: " + (self.folder.logs / "log").read_text()[-300:])

    def ask(self, user, code, timeout=10):
        """RFC 2865's Access-Request with RFC 2869's Message-Authenticator; the answer's code: 2 is Access-Accept."""
        nonce, hidden, last = secrets.token_bytes(16), b"", b""
        padded = code + bytes(-len(code) % 16 or (0 if code else 16))
        for block in range(0, len(padded), 16):
            mask = hashlib.md5(b"suite" + (last or nonce)).digest()
            last = bytes(one ^ other for one, other in zip(padded[block:block + 16], mask))
            hidden += last
        name = user.encode()
        fields = bytes([1, 2 + len(name)]) + name + bytes([2, 2 + len(hidden)]) + hidden + bytes([80, 18])
        packet = struct.pack(">BBH", 1, 1, 36 + len(fields)) + nonce + fields
        packet += hmac.new(b"suite", packet + bytes(16), "md5").digest()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(timeout)
            client.connect(("127.0.0.1", self.port))
            client.send(packet)
            return client.recv(4096)[0]

    def enroll(self, user):
        return {"secret": self.secrets[user]}

    def submit(self, session, code, route):
        typed = code.encode("utf-8", "surrogatepass")
        if len(typed) > 128:
            raise Cannot("a code is at most 128 bytes")
        kind = self.ask(self.sessions[session][0], typed)
        return {"accepted": kind == 2, "status": kind, "body": ""}


if __name__ == "__main__":
    serve(FreeRADIUS())
