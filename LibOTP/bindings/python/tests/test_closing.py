"""The end of keys and keyrings: the library's memory is wiped and released once, after the last call that uses it."""

import sys
import threading

import otp
from otp._library import library
from support import SECRET, Case

KEYS = {"2026-11": bytes(range(32))}


class Releasing(Case):
    def test_it_is_destroyed_once(self):
        """At the end of `with`, or with the last reference."""
        for kind, destroy, argument in ((otp.Key, library.otp_key_destroy, SECRET),
                                        (otp.Keyring, library.otp_keyring_destroy, KEYS)):
            destroyed = []

            class Counted(kind):
                @staticmethod
                def _destroy(pointer):
                    destroyed.append(pointer.value)
                    destroy(pointer)

            with Counted(argument) as owner:
                self.assertEqual(destroyed, [])
            self.assertEqual(len(destroyed), 1)
            owner.close()
            del owner
            kept = Counted(argument)
            self.assertEqual(len(destroyed), 1)
            del kept
            self.assertEqual([bool(pointer) for pointer in destroyed], [True, True])


class ClosingWhileInUse(Case):
    def test_another_thread_closes_a_key(self):
        wrong = []

        def repeat(shared, ready):
            ready.set()
            try:
                while True:
                    if shared.verify_hotp("287082", 0, look_ahead=1000).step != 1:
                        wrong.append("another outcome")
            except ValueError as error:
                if str(error) != "the key is closed":
                    wrong.append(repr(error))

        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        sys.setswitchinterval(1e-5)
        for _ in range(50):
            shared, ready = otp.Key(SECRET), [threading.Event() for _ in range(4)]
            threads = [threading.Thread(target=repeat, args=(shared, event)) for event in ready]
            for thread in threads:
                thread.start()
            for event in ready:
                event.wait()
            shared.close()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong[:3], [])
