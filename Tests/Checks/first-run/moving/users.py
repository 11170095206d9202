"""Users of another system, made and signed in by the system itself, each with a code that it has just accepted.

    PYTHON users.py django_otp|allauth|privacyidea|google_authenticator FOLDER

Prints a JSON object for each: what must be kept, with the code. Of ten users, one has failures, one has confirmed the
enrollment by no code, and two have HOTP tokens, if the system knows that.
"""
import base64
import ctypes
import getpass
import hashlib
import hmac
import json
import os
import pathlib
import struct
import subprocess
import sys
import time

COUNT = 200


def code(key, factor):
    tag = hmac.digest(key, struct.pack(">Q", factor), "sha1")
    number, = struct.unpack_from(">I", tag, tag[-1] & 15)
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"


def users():
    """Names and keys, and what is special about each."""
    for number in range(COUNT):
        key = hashlib.sha1(f"{system} {number}".encode()).digest()
        yield {"account": f"user{number}", "key": key, "failures": 3 * (number % 10 == 1),
               "confirmed": number % 10 != 2, "type": "hotp" if number % 10 in (3, 4) else "totp"}


def factor_of(user):
    return 7 if user["type"] == "hotp" else int(time.time()) // 30


def wrong(user):
    """A code of none of the near steps and counters."""
    near = {code(user["key"], factor_of(user) + offset) for offset in range(-20, 21)}
    return next(text for text in (f"{number:06}" for number in range(100)) if text not in near)


def use(user, verify, counts=True):
    """Signs a user in by the system, which must not accept the code again; then, if it counts them, fails."""
    if user["confirmed"]:
        # Not at a step's end: some accept only the current code.
        while user["type"] == "totp" and time.time() % 30 > 27:
            time.sleep(0.1)
        user["factor"] = factor_of(user)
        user["code"] = code(user["key"], user["factor"])
        assert verify(user["code"]), user
        assert not verify(user["code"]), f"{system} accepts a code twice"
    for _ in range(user["failures"] if counts else 0):
        verify(wrong(user))


def say(user, **more):
    print(json.dumps(user | {"key": user["key"].hex()} | more))


def django_site():
    import django
    django.setup()
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    call_command("migrate", verbosity=0)
    return lambda user: get_user_model().objects.create_user(user["account"])


def django_otp():
    account = django_site()
    from django_otp.plugins.otp_hotp.models import HOTPDevice
    from django_otp.plugins.otp_totp.models import TOTPDevice
    for user in users():
        model, more = (TOTPDevice, {}) if user["type"] == "totp" else (HOTPDevice, {"counter": 7})
        device = model.objects.create(user=account(user), name="the, phone", key=user["key"].hex(),
                                      confirmed=user["confirmed"], **more)
        use(user, device.verify_token, counts=False)
        # A used code counts as a failure, which must be waited for.
        device.throttle_reset()
        for _ in range(user["failures"]):
            device.throttle_increment()
        say(user, name="the, phone")


def allauth():
    account = django_site()
    from allauth.mfa.totp.internal.auth import TOTP
    for user in users():
        factor = TOTP.activate(account(user), base64.b32encode(user["key"]).decode())

        def verify(typed):
            is_right = factor.validate_code(typed)
            if is_right:
                factor.instance.record_usage()
            return is_right

        user |= {"type": "totp", "confirmed": True, "failures": 0}
        use(user, verify)
        say(user)


def privacyidea():
    pathlib.Path(os.environ["PRIVACYIDEA_CONFIGFILE"]).write_text(f"""
SQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/pi.sqlite"
SECRET_KEY = PI_PEPPER = "of the check only"
PI_ENCFILE = "{folder}/enckey"
PI_AUDIT_KEY_PRIVATE, PI_AUDIT_KEY_PUBLIC = "{folder}/private.pem", "{folder}/public.pem"
PI_LOGFILE = "{folder}/privacyidea.log"
SUPERUSER_REALM = []
# What is tested is the second factor: the hash of PINs, all of them empty, is quick.
PI_HASH_ALGO_PARAMS = {{"argon2__rounds": 1, "argon2__memory_cost": 8, "argon2__parallelism": 1}}
""", encoding="utf-8")
    for words in ("create_enckey", "create_audit_keys", "create_tables"):
        subprocess.run([pathlib.Path(sys.executable).parent / "pi-manage", "setup", words], check=True,
                       stdout=subprocess.DEVNULL)
    from privacyidea.app import create_app
    with create_app("production", os.environ["PRIVACYIDEA_CONFIGFILE"], silent=True).app_context():
        from privacyidea.lib.token import check_serial_pass, init_token
        for user in users():
            token = init_token({"type": user["type"], "otpkey": user["key"].hex(), "serial": user["account"],
                                "genkey": 0, "description": "the, phone"})
            if user["type"] == "hotp":
                token.set_otp_count(7)
            user["confirmed"] = True

            def verify(typed, serial=user["account"]):
                return check_serial_pass(serial, typed)[0]

            use(user, verify, counts=False)
            # The used code counts as a failure.
            for _ in range(user["failures"] - 1):
                verify(wrong(user))
            say(user, name="the, phone", failures=max(1, user["failures"]))


class PAM:
    """A service of libpam, with its file in a folder of our own."""

    class Message(ctypes.Structure):
        _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]

    class Response(ctypes.Structure):
        _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]

    Talk = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)),
                            ctypes.POINTER(ctypes.POINTER(Response)), ctypes.c_void_p)

    class Conversation(ctypes.Structure):
        _fields_ = [("talk", ctypes.c_void_p), ("data", ctypes.c_void_p)]

    def __init__(self, line):
        self.libpam, self.libc = ctypes.CDLL("libpam.so.0"), ctypes.CDLL(None)
        self.libc.calloc.restype = self.libc.strdup.restype = ctypes.c_void_p
        (folder / "services").mkdir()
        (folder / "services/moving").write_text(line, encoding="ascii")

    def verify(self, account, typed):
        def talk(count, _messages, responses, _data):
            responses[0] = ctypes.cast(self.libc.calloc(count, ctypes.sizeof(self.Response)),
                                       ctypes.POINTER(self.Response))
            responses[0][0].text = self.libc.strdup(typed.encode())
            return 0

        handle, callback = ctypes.c_void_p(), self.Talk(talk)
        conversation = self.Conversation(ctypes.cast(callback, ctypes.c_void_p), None)
        assert self.libpam.pam_start_confdir(b"moving", account.encode(), ctypes.byref(conversation),
                                             bytes(folder / "services"), ctypes.byref(handle)) == 0
        status = self.libpam.pam_authenticate(handle, 0)
        self.libpam.pam_end(handle, status)
        return status == 0


def google_authenticator():
    """With the files that its program writes, by its module."""
    (folder / "files").mkdir()
    pam = PAM(f"auth required pam_google_authenticator.so secret={folder}/files/${{USER}} user={getpass.getuser()}\n")
    for user in users():
        file = folder / "files" / user["account"]
        kind = "--time-based --disallow-reuse" if user["type"] == "totp" else "--counter-based"
        subprocess.run(["google-authenticator", *kind.split(), *"--force --no-rate-limit --window-size=3".split(),
                        *f"--qr-mode=NONE --quiet --no-confirm --secret={file}".split()], check=True)
        text = file.read_text(encoding="ascii")
        user |= {"key": base64.b32decode(text.split("\n", maxsplit=1)[0] + "======"), "confirmed": True, "failures": 0}
        if user["type"] == "hotp":
            file.write_text(text.replace("HOTP_COUNTER 1", "HOTP_COUNTER 7"), encoding="ascii")
        use(user, lambda typed, account=user["account"]: pam.verify(account, typed))
        say(user)


if __name__ == "__main__":
    system, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    {"django_otp": django_otp, "allauth": allauth, "privacyidea": privacyidea,
     "google_authenticator": google_authenticator}[system]()
