"""What is secret, by function: for each parameter in order, `-` or one of

    secret   the bytes that it points to, or the number itself
    lanes    an array of otp_lane: pointers to midstates, which are secret, and counters

Every function of COTPSupport with external linkage and a parameter must be here, and every other function with a
pointer must be called by these or be a kernel's.
"""

import re

FUNCTIONS = {
    # Codes, midstates, texts.
    "otp_lanes_prepare": "- secret - secret",
    "otp_lanes_key_values": "- secret - - secret",
    "otp_lanes_values": "- lanes - secret",
    "otp_lanes_kernel_key_values": "- - secret - - secret",
    "otp_lanes_kernel_values": "- - lanes - secret",
    "otp_lanes_message_tag": "- secret secret - secret",
    # OpenSSL's HMAC: the key, the message, the tag.
    "otp_evp_key_create": "- secret -",
    "otp_evp_tag": "- secret - secret -",
    "otp_evp_begin": "- -",
    "otp_evp_end": "-",
    "otp_evp_key_destroy": "-",
    "otp_evp_key_hash": "-",
    # Wiping, comparing, randomness, files of secrets, scratch memory.
    "otp_wipe": "secret -",
    "otp_equal": "secret secret -",
    "otp_random_private": "secret -",
    "otp_private_file_read": "- secret -",
    "otp_private_file_create": "- - secret -",
    "otp_private_file_open": "- - -",
    "otp_with_scratch": "- secret",
    "otp_probe_stack": "-",
    "otp_wipe_stack": "-",
    # Plans, names, locks: nothing secret.
    "otp_cpu_features": "- -",
    "otp_lanes_kernel_count": "-",
    "otp_lanes_kernel_width": "- -",
    "otp_lanes_kernel_for": "- -",
    "otp_lanes_kernel_picoseconds": "- -",
    "otp_lanes_measure": "-",
    "otp_lanes_measure_plan": "- - -",
    "otp_lanes_count_codes": "- -",
    "otp_lanes_plan": "- -",
    "otp_lane_set_name": "-",
    "otp_lane_set_backend_name": "-",
    "otp_hash_properties_of": "-",
    "otp_lane_plan_set": "-",
    "otp_lane_plan_hash": "-",
    "otp_mutex_lock": "-",
    "otp_mutex_unlock": "-",
    "otp_mutex_destroy": "-",
    "otp_try_lock_take": "-",
    "otp_try_lock_release": "-",
    "otp_try_lock_destroy": "-",
    "otp_once": "- -",
    # Of test keys.
    "otp_openssl_tag": "- - - - - -",
    # headers.c
    "header_truncate": "secret -",
    "header_truncate_words": "secret secret",
}

# A kernel's functions, in the order of lane_kernel.
KERNEL = ["secret - secret", "lanes secret", "secret secret", "secret secret"]

# Functions of libraries that may be given pointers to secrets: into which of their arguments they write secrets, and
# why that is right. Their results are statuses or pointers, and not secret.
_HMAC = "libcrypto's HMAC: its own time is libcrypto's matter"
LIBRARY = {
    "SHA1_Transform": ((0,), "libcrypto's compression: its own time is libcrypto's matter"),
    "SHA256_Transform": ((0,), "the same"),
    "SHA512_Transform": ((0,), "the same"),
    "EVP_MAC_init": ((0,), _HMAC),
    "EVP_MAC_update": ((0,), _HMAC),
    "EVP_MAC_final": ((0, 1), _HMAC),
    "EVP_MAC_CTX_dup": ((), _HMAC),
    "EVP_MAC_CTX_free": ((), _HMAC),
    "RAND_priv_bytes": ((0,), "writes random bytes"),
    "OPENSSL_cleanse": ((), "overwrites by size only"),
    "CRYPTO_clear_free": ((), "the same"),
    "CRYPTO_memcmp": ((), "compares all bytes"),
    "read": ((1,), "the kernel writes a file's bytes"),
    "write": ((), "the kernel reads a new file's bytes"),
}
# Assembly, as the IR spells it: what clears vector registers and the stack (wipe.c), and cpuid.
ASSEMBLY = re.compile(
    r"vzeroall|  xchg[^\\;]*\\0A  cpuid\\0A  xchg[^\\;]*|"
    r"((pxor (%xmm\d+), \3|vpxord (%zmm\d+), \4, \4|movi v\d+\.2d, #0|mov v\d+\.d\[1\], xzr)(\\0A\\09)?)+"
    r"(vmovdqu64 %zmm31, \(\$0\))?")
# Whose result is secret.
SECRET_RESULTS = {"CRYPTO_memcmp"}
