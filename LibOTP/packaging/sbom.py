#!/usr/bin/env python3
"""Writes an SBOM of each artifact in a folder: sbom/NAME.spdx.json (SPDX 2.3).

    sbom.py DIST

An artifact's parts are what is linked into its programs and libraries, and the shared libraries that they need, each
with the version that it was built with. The times are SOURCE_DATE_EPOCH's, so that a second build gives the same bytes.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile
from os import environ
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(environ["SOURCE_DATE_EPOCH"])))
VERSION = re.search(r'^#define OTP_VERSION "(.*)"', (ROOT / "LibOTP/include/otp.h").read_text(), re.M).group(1)
# What Debian for another machine provides, where its packages are unpacked: Scripts/foreign.sh.
FOREIGN = {"arm64": ROOT / ".build-foreign-arm64/unpacked"}


class Part(NamedTuple):
    name: str
    version: str
    purl: str
    linked: str  # how: STATIC_LINK or DYNAMIC_LINK, as SPDX has them


def output(*command: str) -> str:
    return subprocess.check_output(command, text=True)


def swift() -> str:
    return re.search(r"Swift version (\S+)", output("swiftc", "--version")).group(1)


def checkouts() -> list[Part]:
    """The Swift packages that the tool was built with."""
    state = json.loads((ROOT / ".build-tool/workspace-state.json").read_text())
    return [Part(reference["name"], pin["checkoutState"]["version"],
                 "pkg:swift/" + reference["location"].split("://")[1].removesuffix(".git")
                 + "@" + pin["checkoutState"]["version"], "STATIC_LINK")
            for dependency in state["object"]["dependencies"]
            for reference, pin in [(dependency["packageRef"], dependency["state"])] if "checkoutState" in pin]


def foundation_icu() -> Part:
    """The ICU in Foundation, by the name of its data."""
    tool = (ROOT / ".build-tool/release/otp").read_bytes()
    version = re.search(rb"icudt(\d+)l", tool).group(1).decode()
    return Part("icu", version, f"pkg:generic/icu@{version}", "STATIC_LINK")


def deb(package: str, version: str, architecture: str) -> str:
    return f"pkg:deb/debian/{quote(package)}@{quote(version)}?arch={architecture}"


def debian(library: str, architecture: str) -> Part:
    """The Debian package with a shared library."""
    unpacked = FOREIGN.get(architecture)
    if unpacked and unpacked.exists():
        package = {"libcrypto.so.3": "libssl3"}.get(library)
        if package is None:  # of the cross compiler, for that machine
            package = "libc6-dev-arm64-cross"
            version = output("dpkg-query", "--show", "--showformat=${Version}", package)
            return Part("libc6", version, deb("libc6", version, architecture), "DYNAMIC_LINK")
        version = (unpacked / package).read_text().strip()
    else:
        path = next(line.split()[-1] for line in output("/sbin/ldconfig", "-p").splitlines()
                    if line.split()[:1] == [library]).removeprefix("/usr")
        # Debian's database has some under /lib, which is /usr/lib.
        owners = subprocess.run(["dpkg-query", "--search", path, "/usr" + path], text=True, capture_output=True)
        package = owners.stdout.split(":")[0]
        version = output("dpkg-query", "--show", "--showformat=${Version}", package)
    return Part(package, version, deb(package, version, architecture), "DYNAMIC_LINK")


def elf_files(artifact: Path, place: Path) -> list[Path]:
    """The programs and shared libraries in an artifact, unpacked."""
    if artifact.suffix == ".deb":
        subprocess.run(["dpkg-deb", "--extract", artifact, place], check=True)
    elif artifact.suffix == ".whl":
        zipfile.ZipFile(artifact).extractall(place)
    return [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()
            and path.read_bytes()[:4] == b"\x7fELF"]


def parts(artifact: Path) -> list[Part]:
    if artifact.suffix == ".tgz":  # for Node: it runs the tool
        return []
    libotp = Part("libotp", VERSION, f"pkg:generic/libotp@{VERSION}", "DYNAMIC_LINK")
    package = re.match(r"([^_]*)_.*_(.*)\.deb$", artifact.name)
    if package is None and artifact.suffix != ".whl":
        return [libotp]
    name, architecture = package.groups() if package else ("wheel", output("dpkg", "--print-architecture").strip())
    if name == "libotp-dev":
        name, found = "libotp0", {debian("libcrypto.so.3", architecture), debian("libc.so.6", architecture)}
    else:
        found = set()
        with tempfile.TemporaryDirectory() as place:
            for path in elf_files(artifact, Path(place)):
                needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "--dynamic", str(path)))
                found |= {libotp if library == "libotp.so.0" else debian(library, architecture)
                          for library in needed if not library.startswith("ld-linux")}
    if name in ("libotp0", "otp-tool", "wheel"):
        found.add(Part("swift", swift(), f"pkg:generic/swift@{swift()}", "STATIC_LINK"))
    if name == "otp-tool":
        found |= {*checkouts(), foundation_icu(), debian("libstdc++.so.6", architecture)._replace(linked="STATIC_LINK")}
    return sorted(found)


def spdx(artifact: Path, digest: str, linked: list[Part]) -> dict:
    def identifier(text: str) -> str:
        return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)

    def package(name: str, version: str, **more: object) -> dict:
        return {"name": name, "SPDXID": identifier(name), "versionInfo": version, "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
                "copyrightText": "NOASSERTION", **more}

    subject = package(artifact.name, VERSION, checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    others = [package(part.name, part.version, externalRefs=[
        {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part.purl}])
        for part in linked]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", subject["SPDXID"])]
    relations += [(subject["SPDXID"], part.linked, identifier(part.name)) for part in linked]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": artifact.name,
            "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, 'spdx ' + digest)}",
            "creationInfo": {"created": CREATED, "creators": ["Tool: swift-otp-LibOTP-packaging-sbom.py"]},
            "packages": [subject, *others],
            "relationships": [{"spdxElementId": first, "relationshipType": relation, "relatedSpdxElement": second}
                              for first, relation, second in relations]}


def main(dist: Path) -> None:
    place = dist / "sbom"
    place.mkdir()
    released = (".deb", ".whl", ".gz", ".zip", ".crate", ".tgz")
    for artifact in sorted(path for path in dist.rglob("*") if path.suffix in released):
        digest = hashlib.sha256(artifact.read_bytes()).hexdigest()
        text = json.dumps(spdx(artifact, digest, parts(artifact)), indent=1, sort_keys=True)
        (place / f"{artifact.name}.spdx.json").write_text(text + "\n")


main(Path(sys.argv[1]))
