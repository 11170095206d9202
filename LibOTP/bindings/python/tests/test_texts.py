"""Base32 and key URIs: what is refused, and where the error says the fault is."""

import ctypes
import pickle

import otp
from otp import Status, _arguments
from support import SECRET, Case


class Texts(Case):
    def test_base32(self):
        self.assertEqual(otp.base32_decode(""), b"")
        self.assertEqual(otp.base32_encode(b""), "")
        self.refused(Status.INVALID_BASE32_PADDING, otp.base32_decode, "AB", strict=True)
        self.refused(Status.INVALID_BASE32_CHARACTER, otp.Key.from_base32, "\ud800A")

    def test_an_error_has_a_position_or_a_part_and_can_be_pickled(self):
        error = self.refused(Status.INVALID_BASE32_CHARACTER, otp.base32_decode, "GEZ1")
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.position, error.part), (3, None))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), again.args, str(again)), (type(error), error.args, str(error)))
        self.assertTrue(str(error).endswith(" at byte 3"))
        error = self.refused(Status.INVALID_DIGITS, otp.KeyURI.parse, "otpauth://totp/a?secret=GEZDGNBV&digits=5")
        self.assertEqual(error.part, "digits")

    def test_uris_that_cannot_be_built(self):
        self.refused(Status.INVALID_UTF8, otp.KeyURI(SECRET, "\ud800").build)
        self.refused(Status.URI_TOO_LONG, otp.KeyURI(SECRET, "a" * 2100).build)

    def test_a_view_with_gaps(self):
        gaps = memoryview(bytearray(SECRET))[::2]
        self.assertEqual(otp.KeyURI(gaps, "a").build(), otp.KeyURI(SECRET[::2], "a").build())

    def test_what_the_library_has_written_is_wiped(self):
        buffer = ctypes.create_string_buffer(b"secret")
        self.assertEqual(_arguments.taken(buffer, 3), b"sec")
        self.assertEqual(buffer.raw, bytes(7))
