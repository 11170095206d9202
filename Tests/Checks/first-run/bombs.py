#!/usr/bin/env python3
"""Writes files of keys that are meant to exhaust `otp import --check`, and checks its output and peak memory. Also
checks that `otp export` shows no secret on a terminal. Usage: bombs.py OTP FOLDER
"""

import base64
import itertools
import os
import pty
import subprocess
import sys

otp, folder = sys.argv[1:]
MILLION = 10**6
MOST_KEYS = 1 << 20
GIBIBYTE = 1 << 30
# The tool takes 25 MiB for a file without keys, including the code of Swift and Foundation. A million serial numbers
# and accounts take 80 MiB more: two tables that grow by doubling, with 16 bytes per key.
SMALL, LARGE = 48, 144  # MiB

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
HEX = base64.b32decode(SECRET).hex()
OPEN = '<KeyContainer Version="1.0" xmlns="urn:ietf:params:xml:ns:keyprov:pskc">'
TABLE = "upn,serial number,secret key,time interval\n"
faults = 0


def package(number):
    return (f'<KeyPackage><DeviceInfo><SerialNo>{number}</SerialNo></DeviceInfo><Key Id="{number}" '
            'Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:hotp"><AlgorithmParameters><ResponseFormat Length="6" '
            'Encoding="DECIMAL"/></AlgorithmParameters><Data><Secret><PlainValue>MTIzNDU2Nzg5MDEyMzQ1Njc4OTA='
            f'</PlainValue></Secret></Data><UserId>u{number}</UserId></Key></KeyPackage>\n')


def table(row, count=MILLION):
    return itertools.chain([TABLE], (row(number) for number in range(count)))


def container(*parts):
    return itertools.chain([OPEN], *parts, ["</KeyContainer>"])


def check(name, options, parts, status, said, limit, grows_to=None):
    """Runs the tool on a file, and checks its exit status, its last line, and its peak memory in MiB. The file is
    written in parts, since a process's peak begins at that of its parent.
    """
    global faults
    path = os.path.join(folder, "keys")
    with open(path, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.writelines(parts)
    if grows_to:
        os.truncate(path, grows_to)
    # The peak of this process only.
    with subprocess.Popen([otp, "import", path, "--check", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as tool:
        text = tool.stdout.read()
        _, result, usage = os.wait4(tool.pid, 0)
        tool.returncode = os.waitstatus_to_exitcode(result)
    os.unlink(path)
    last = text.splitlines()[-1] if text else ""
    mebibytes = usage.ru_maxrss / 1024
    is_right = tool.returncode == status and last == said and mebibytes <= limit
    faults += not is_right
    print(f"{'ok   ' if is_right else 'FAIL '} {name}: {last[:80]!r}, exit {tool.returncode}, {mebibytes:.0f} MiB, "
          f"{usage.ru_utime:.1f} s", flush=True)


def checked(keys, refused=0):
    return f"{'refused' if refused else 'checked'} keys={keys} present=0 refused={refused} weak=0"


entra, pskc = ["--format", "entra"], ["--format", "pskc", "--account", "a"]
check("an empty table", entra, [TABLE], 0, checked(0), SMALL)
check("a million rows", entra, table(lambda n: f"u{n},{n},{SECRET},30\n"), 0, checked(MILLION), LARGE)
check("a million rows, all of them refused", entra, table(lambda n: f"u{n},{n},1,30\n"), 1, checked(0, MILLION), SMALL)
check("a million rows of one device", entra, table(lambda n: f"u{n},1,{SECRET},30\n"), 1, checked(1, MILLION - 1),
      SMALL)
check("more keys than are read", ["--format", "users-oath"],
      (f"HOTP u{n} - {HEX} 1\n" for n in range(MOST_KEYS + 1)), 65,
      f"otp: the file: line {MOST_KEYS + 1}: file: too long", LARGE)
check("a million URIs", ["--format", "uris"], (f"otpauth://totp/u{n}?secret={SECRET}\n" for n in range(MILLION)), 0,
      checked(MILLION), LARGE)
check("a hundred thousand packages", pskc, container(package(n) for n in range(10**5)), 0, checked(10**5), SMALL)

check("a million URIs of one account", ["--format", "uris"],
      itertools.repeat(f"otpauth://totp/u?secret={SECRET}\n", MILLION), 1, checked(5, MILLION - 5), SMALL)
laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
check("entities of entities", pskc, [f'<!DOCTYPE a [<!ENTITY l0 "lol">{laughs}]>', OPEN, "&l9;</KeyContainer>"], 65,
      "otp: the file: line 1: document type: unsupported", SMALL)
check("a million elements, each in the one before", pskc, container(itertools.repeat("<Extensions>", MILLION)), 65,
      "otp: the file: line 1: record: too long", SMALL)
check("ten million elements beside each other", pskc, container(itertools.repeat("<Extensions/>", 10**7)), 0,
      checked(0), SMALL)
start, end = package(1).split("</Data>")
check("a million usages", pskc,
      container([start + "</Data><Policy>"], itertools.repeat("<KeyUsage>CR</KeyUsage>", MILLION),
                ["<KeyUsage>OTP</KeyUsage></Policy>" + end]), 0, checked(1), SMALL)
check("a gibibyte of comment", pskc, [OPEN, "<!--"], 65, "otp: the file: line 1: file: too long", SMALL, GIBIBYTE + 1)
for format in ["entra", "uris", "users-oath", "migration"]:
    check(f"a gibibyte without a line, as {format}", ["--format", format], ["a"], 65,
          "otp: the file: line 1: record: too long", SMALL, GIBIBYTE)


def migration(place):
    data = bytes([0x18, 0xC0, 0x84, 0x3D, 0x20]) + bytes([place & 127 | 128, place >> 7 & 127 | 128, place >> 14])
    return f"otpauth-migration://offline?data={base64.b64encode(data).decode()}\n"


check("a million URIs of one batch", ["--format", "migration"], (migration(n) for n in range(MILLION)), 65,
      "otp: the file: line 1: batch: too long", SMALL)

# Nothing is written to a terminal, whatever the options.
path = os.path.join(folder, "keys")
with open(path, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
    file.write(f"otpauth://totp/alice?secret={SECRET}\n")
export = [otp, "export", path, "--format", "uris", "--to", "uris", "--show-secret"]
ours, theirs = pty.openpty()
status = subprocess.run(export, stdout=theirs, stderr=theirs, check=False).returncode
os.close(theirs)
text = os.read(ours, 1 << 16).decode()
piped = subprocess.run(export, capture_output=True, check=True, text=True).stdout
is_right = status == 64 and "is a terminal" in text and SECRET not in text and SECRET in piped
faults += not is_right
print(f"{'ok   ' if is_right else 'FAIL '} to a terminal: {text.strip()!r}, exit {status}")

print(f"seeds: {'every file is answered in bounded memory' if not faults else f'{faults} failed'}")
sys.exit(1 if faults else 0)
