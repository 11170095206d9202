#!/usr/bin/env python3
"""PAM modules, each login a pamtester of its own, with a folder of services that only this adapter sees.

    pam.py google-authenticator|oath|otp [FOLDER with pam_otp.so and pam-otp]
"""

import base64
import contextlib
import fcntl
import os
import secrets
import signal
import subprocess
import sys
import time

import otp
from adapter import Cannot, WithoutSessions, debian, end_with_adapter, ours, serve

MODULE, BUILD = sys.argv[1], (*sys.argv, "")[2]
LINE, PACKAGE, CONFIGURED = {
    "google-authenticator": (
        "required pam_google_authenticator.so no_increment_hotp user=root secret={data}/${{USER}}",
        "libpam-google-authenticator", "README's line, with `google-authenticator -t -d -f -r 3 -R 30 -w 3`: the "
        "answers that it recommends"),
    "oath": ("requisite pam_oath.so usersfile={data}/users window=5 digits=6", "libpam-oath", "README's line with the "
             "smallest `window` that it names, 5, and no other module; TOTP in `usersfile`"),
    "otp": ("required {build}/pam_otp.so dir={data} nodelay", "", "`LibOTP/examples/pam` with its defaults, but "
            "`nodelay`, since the two seconds after a failure limit nothing")}[MODULE]
MAKE = ["google-authenticator", *"-t -d -f -r 3 -R 30 -w 3 -Q NONE -q -C -i logins".split()]


class Pam(WithoutSessions):
    """The state is in files; the modules need no account of the system."""

    about = (debian(PACKAGE) if PACKAGE else ours("pam_otp") | {
        "rules": {"window": 1, "drift": 0, "lock": 10, "locked": 0}}) | {
            "configured": CONFIGURED, "servers": 2, "features": ["clocks"]}

    is_together = False

    def start(self):
        services = self.folder.path / "services"
        services.mkdir()
        line = LINE.format(data=self.folder.data, build=BUILD)
        (services / "logins").write_text(f"auth {line}\naccount required pam_permit.so\n", encoding="ascii")
        # In this process's own namespace (see below): the machine's services stay as they are.
        subprocess.run(["mount", "--bind", str(services), "/etc/pam.d"], check=True)
        if MODULE == "otp":
            otp.Keyring.create_file(str(self.folder.data / ".keyring"))

    def stop(self):
        subprocess.run(["umount", "/etc/pam.d"], check=False)
        super().stop()

    def restart(self):
        raise Cannot("nothing keeps running between logins")

    def together(self, requests, kill=0):
        self.is_together = True
        try:
            return super().together(requests, kill)
        finally:
            self.is_together = False

    def kill(self):
        if not self.is_together:
            self.restart()
        self.end_all(signal.SIGKILL)

    def enroll(self, user):
        secret = secrets.token_bytes(20)
        if MODULE == "google-authenticator":
            file = self.folder.data / user
            subprocess.run([*MAKE, "-l", user, "-s", str(file)], check=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return {"secret": file.read_text(encoding="ascii").splitlines()[0]}
        if MODULE == "oath":
            users = self.folder.data / "users"
            with open(users, "a", encoding="ascii") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                os.chmod(users, 0o600)
                file.write(f"HOTP/T30/6 {user} - {secret.hex()}\n")
        else:
            self.administer("import", user, base64.b32encode(secret).decode())
        return {"secret": base64.b32encode(secret).decode()}

    def administer(self, command, user, text=""):
        subprocess.run([f"{BUILD}/pam-otp", str(self.folder.data), command, user], input=text + "\n", text=True,
                       check=True, stdout=subprocess.DEVNULL, env=self.folder.environment())

    def submit(self, session, code, route=None):
        if "\n" in code or "\0" in code or len(code) > 500:
            raise Cannot("a code is a line, of at most 511 bytes (PAM_MAX_RESP_SIZE)")
        user, server = self.sessions[session]
        log = self.folder.logs / f"{session}-{time.time_ns()}"
        ran = subprocess.Popen(["pamtester", "logins", user, "authenticate"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=end_with_adapter,
                               env=self.folder.environment(server) | {"OTP_LOGINS_LOG": str(log)})
        self.processes.append(ran)
        said = ran.communicate((code + "\n").encode("utf-8", "surrogatepass"), timeout=60)[0].decode("utf-8", "replace")
        with contextlib.suppress(ValueError):  # it was killed
            self.processes.remove(ran)
        return {"accepted": "successfully authenticated" in said, "status": ran.returncode, "body": said,
                "no_answer": ran.returncode < 0} | kind_of(log)

    def recovery_codes(self, user):
        if MODULE != "google-authenticator":
            raise Cannot("it has no recovery codes")
        lines = (self.folder.data / user).read_text(encoding="ascii").splitlines()
        return {"codes": [line for line in lines if line.isdigit() and len(line) == 8]}

    recovery = submit

    def unlock(self, user):
        if MODULE != "otp":
            raise Cannot("it locks by time")
        self.administer("unlock", user)


def kind_of(log):
    """What ours logs of a refusal, which the client cannot tell apart: whether the code was looked at."""
    said = log.read_text(encoding="utf-8", errors="replace") if MODULE == "otp" and log.exists() else ""
    kinds = {"locked: ": "locked", "used code": "rejected", "wrong code": "rejected"}
    return {"kind": kind for text, kind in kinds.items() if text in said}


if __name__ == "__main__":
    if "OTP_LOGINS_INSIDE" not in os.environ:
        enter = ["unshare", "--mount"] + ([] if os.getuid() == 0 else ["--user", "--map-root-user"])
        os.environ["OTP_LOGINS_INSIDE"] = "1"
        os.execvp(enter[0], [*enter, sys.executable, *sys.argv])
    serve(Pam())
