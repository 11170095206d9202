"""The end of keys and keyrings: the library's memory is wiped and released once, after the last call that uses it."""

import sys
import threading

import otp
from otp._library import library
from support import SECRET, Case

NOW = 1_700_000_000
KEYS = {"2026-11": bytes(range(32))}


class Releasing(Case):
    def check(self, kind, destroy, *arguments):
        """The library destroys it at the end of `with`, or with its last reference, and never twice."""
        destroyed = []

        class Counted(kind):
            @staticmethod
            def _destroy(pointer):
                destroyed.append(pointer.value)
                destroy(pointer)

        with Counted(*arguments) as owner:
            self.assertEqual(destroyed, [])
        self.assertEqual(len(destroyed), 1)
        owner.close()
        del owner
        kept = Counted(*arguments)
        self.assertEqual(len(destroyed), 1)
        del kept
        self.assertEqual([bool(pointer) for pointer in destroyed], [True, True])

    def test_a_key(self):
        self.check(otp.Key, library.otp_key_destroy, SECRET)

    def test_a_keyring(self):
        self.check(otp.Keyring, library.otp_keyring_destroy, KEYS)


class ClosingWhileInUse(Case):
    def close_while_in_use(self, make, use):
        wrong = []

        def repeat(shared, ready):
            ready.set()
            try:
                while True:
                    if not use(shared):
                        wrong.append("another outcome")
            except ValueError as error:
                if str(error) != f"the {type(shared).__name__.lower()} is closed":
                    wrong.append(repr(error))

        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        sys.setswitchinterval(1e-5)
        for _ in range(50):
            shared, ready = make(), [threading.Event() for _ in range(4)]
            threads = [threading.Thread(target=repeat, args=(shared, event)) for event in ready]
            for thread in threads:
                thread.start()
            for event in ready:
                event.wait()
            shared.close()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong[:3], [])

    def test_a_key(self):
        self.close_while_in_use(lambda: otp.Key(SECRET), lambda key: key.verify_hotp(
            "287082", 0, look_ahead=1000) == otp.Match(otp.Result.ACCEPTED, 1, 1))

    def test_a_keyring(self):
        record = otp.Keyring(KEYS).enroll("user 42", secret=SECRET, is_confirmed=True, time=NOW)
        code = otp.Key(SECRET).totp(NOW)
        self.close_while_in_use(lambda: otp.Keyring(KEYS),
                                lambda keyring: keyring.verify("user 42", record, code, time=NOW))
