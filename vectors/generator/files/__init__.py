"""One module for each JSON file, or for two files of one kind."""

from ..catalogue import annotate
from ..document import VectorFile
from . import (
    base32_cases,
    base32_strict,
    extreme_counters,
    hmac_cases,
    hotp_look_ahead,
    record_sequences,
    replay_floors,
    rfc4226_hotp,
    rfc4648_base32,
    rfc6238_totp,
    rfc_hmac,
    secret_to_code,
    short_numbers,
    totp_steps,
    truncation_offsets,
    uri_build,
    uri_parse,
    verification_windows,
)


def build_all() -> list[VectorFile]:
    """Every file, in the order of the README's table."""
    return annotate([
        rfc4226_hotp.build(),
        rfc6238_totp.build(),
        rfc_hmac.build_rfc2202(),
        rfc_hmac.build_rfc4231(),
        rfc4648_base32.build(),
        hmac_cases.build(),
        base32_cases.build(),
        base32_strict.build(),
        truncation_offsets.build(),
        extreme_counters.build(),
        short_numbers.build(),
        totp_steps.build(),
        verification_windows.build(),
        replay_floors.build(),
        hotp_look_ahead.build(),
        record_sequences.build(),
        secret_to_code.build(),
        uri_parse.build(),
        uri_build.build(),
        uri_build.build_round_trip(),
    ])
