"""RFC 6238 Appendix B, typed in and confirmed by our own HMAC."""

from ..document import VectorFile, totp_group
from ..errors import ensure
from ..hmac_rfc2104 import SHA1, SHA256, SHA512
from ..otp import SEEDS, HotpKey, TotpKey

# time, step (hexadecimal), then the code for each algorithm
ALGORITHMS = (SHA1, SHA256, SHA512)
ROWS = [
    (59, 0x1, "94287082", "46119246", "90693936"),
    (1111111109, 0x23523EC, "07081804", "68084774", "25091201"),
    (1111111111, 0x23523ED, "14050471", "67062674", "99943326"),
    (1234567890, 0x273EF07, "89005924", "91819424", "93441116"),
    (2000000000, 0x3F940AA, "69279037", "90698825", "38618901"),
    (20000000000, 0x27BC86AA, "65353130", "77737706", "47863826"),
]


def build() -> VectorFile:
    """One group per algorithm, with six times each."""
    groups = []
    for column, algorithm in enumerate(ALGORITHMS):
        key = TotpKey(HotpKey(SEEDS[algorithm], algorithm, digits=8))
        group = totp_group(key, f"The seed has {algorithm.digest_size} bytes, as many as the hash.")
        for time, step, *codes in ROWS:
            ensure(key.step(time) == step, f"RFC 6238, time {time}: step {key.step(time)}")
            computed = key.hotp.code(step)
            ensure(computed == codes[column], f"RFC 6238, {algorithm.name}, time {time}: computed {computed}")
            group.add({"time": str(time), "step": str(step), "code": codes[column]})
        groups.append(group)
    return VectorFile("rfc6238-totp.json", "RFC 6238 Appendix B", groups)
