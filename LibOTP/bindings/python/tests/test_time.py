"""Moments: Unix time as an int, or a datetime with a time zone, rounded down."""

from datetime import datetime, timedelta, timezone

import otp
from otp import Status
from support import SECRET, Case

key = otp.Key(SECRET)
NOW = 1_700_000_000
UTC = timezone.utc
moment = datetime.fromtimestamp(NOW, UTC)


class Moments(Case):
    def test_a_datetime_is_its_second_in_any_zone(self):
        for zone in (UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-9, minutes=-30))):
            for microsecond in (0, 999_999):
                same = moment.astimezone(zone).replace(microsecond=microsecond)
                self.assertEqual(key.totp(same, period=1), key.totp(NOW, period=1))
                self.assertEqual(key.verify_totp(key.totp(NOW), same, behind=0, ahead=0).step, NOW // 30)

    def test_fractions_round_down_at_both_ends_of_the_calendar(self):
        # As a float, either would be another second.
        self.assertEqual(key.totp(datetime.max.replace(tzinfo=UTC), period=1), key.totp(253_402_300_799, period=1))
        self.assertEqual(key.totp(datetime(1969, 12, 31, 23, 59, 59, 1, UTC), period=1, t0=-10),
                         key.totp(-1, period=1, t0=-10))

    def test_a_naive_datetime_is_refused(self):
        keyring = otp.Keyring({"a": bytes(32)})
        record = keyring.enroll("u", time=moment)
        naive = datetime(2026, 11, 25)
        for call in (lambda: key.totp(naive), lambda: key.verify_totp("287082", naive),
                     lambda: keyring.enroll("u", time=naive), lambda: keyring.verify("u", record, "0", time=naive),
                     lambda: keyring.spend("u", record, naive), lambda: keyring.diagnose("u", record, "0", naive),
                     lambda: keyring.explain("u", record, "0", time=naive)):
            self.refused(Status.INVALID_ARGUMENT, call)

    def test_a_record_may_hold_a_time_beyond_the_calendar(self):
        keyring = otp.Keyring.unsealed()
        record = keyring.enroll("u", time=NOW)
        record = record.replace((NOW * 1000).to_bytes(8, "big"), b"\x7f" * 8)
        self.assertEqual(keyring.info("u", record).enrollment_time, datetime.max.replace(tzinfo=UTC))
