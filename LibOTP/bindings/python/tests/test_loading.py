"""What an import says if the library, or what it needs, is missing; and what is installed."""

import dataclasses
import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import otp
from support import Case

PACKAGE = pathlib.Path(otp.__file__).parent
OWN = PACKAGE / "_lib" / "libotp.so.0"


def imported(library):
    """What an import prints with this OTP_LIBRARY."""
    return subprocess.run([sys.executable, "-c", "import otp; print(otp.version())"], capture_output=True, text=True,
                          env={**os.environ, "OTP_LIBRARY": str(library)})


class Loading(Case):
    def test_a_missing_library_is_named(self):
        found = imported("/nonexistent/libotp.so.0")
        self.assertRegex(found.stderr, "ImportError: cannot load libotp: /nonexistent/libotp.so.0: .*set OTP_LIBRARY")

    @unittest.skipUnless(OWN.exists(), "needs the wheel")
    def test_a_missing_libcrypto_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "libotp.so.0")
            path.write_bytes(OWN.read_bytes().replace(b"libcrypto.so.3\0", b"libcrypto.so.0\0"))
            self.assertRegex(imported(path).stderr, r"ImportError: .*libcrypto\.so\.0: .*install OpenSSL 3")

    def test_a_library_that_lacks_a_function_is_refused(self):
        self.assertRegex(imported("libc.so.6").stderr, "ImportError: this libotp is older than the package: .*otp_")

    @unittest.skipUnless(OWN.exists(), "needs the wheel")
    def test_the_wheels_own_library_is_loaded_and_can_be_overridden(self):
        with open("/proc/self/maps", encoding="utf-8") as maps:
            self.assertIn(str(OWN.resolve()), maps.read())
        self.assertEqual(imported(OWN).stdout.strip(), otp.version())
        self.assertEqual(imported("").stdout.strip(), otp.version())

    @unittest.skipUnless(OWN.exists(), "needs the wheel")
    def test_what_is_installed(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        self.assertEqual(importlib.metadata.version("swift-otp"), otp.version())
        described = importlib.metadata.metadata("swift-otp")
        self.assertEqual(described["Requires-Python"], ">=3.10")
        self.assertIn("libcrypto.so.3", described.get_payload())

    def test_an_import_and_a_verification_are_cheap_and_the_names_are_there_when_used(self):
        program = "import otp, sys; cheap = 'enum' in sys.modules; otp.Key(b'1').verify_totp('1', 59); " \
            "dear = {'dataclasses', 'typing', 'datetime', 'inspect', 'otp.records', 'otp.texts'} & set(sys.modules); " \
            "print(cheap, dear, set(otp.__all__) <= set(dir(otp)), otp.Keyring is otp.keyring.Keyring); otp.nothing"
        found = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True,
                               env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
        self.assertEqual(found.stdout, "False set() True True\n")
        self.assertIn("AttributeError: module 'otp' has no attribute 'nothing'", found.stderr)

    def test_values_are_frozen_dataclasses(self):
        strict = otp.Policy.STRICT
        self.assertEqual(dataclasses.replace(strict, adjacent_steps=1, lock_seconds=60).lock_seconds, 60)
        self.assertEqual(dataclasses.astuple(strict), (1, 0, 0, 0, 0, 10, 3600, 4, 1))
        self.assertEqual([field.default for field in dataclasses.fields(otp.Match)][1:], [0, 0])
        match = otp.Match(otp.Result.ACCEPTED, 4)
        self.assertEqual(repr(match), "Match(result=<Result.ACCEPTED: 1>, step=4, offset=0)")
        same = otp.Policy(1, 0, 0, resynchronization_look_ahead=0, look_ahead=0)
        self.assertEqual((len({same, strict}), strict == otp.Policy(), strict == 1), (1, False, False))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            strict.look_ahead = 10
        with self.assertRaises(dataclasses.FrozenInstanceError):
            del strict.look_ahead
        with self.assertRaises(TypeError):
            otp.Match()

    def test_every_public_name_is_documented(self):
        for name in otp.__all__:
            self.assertTrue(getattr(otp, name).__doc__, name)
