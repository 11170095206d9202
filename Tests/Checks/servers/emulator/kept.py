"""Between runs: `--import` and `--export-on-exit`, in Google's format; and what else the command line has."""
import http.client
import json
import os
import pathlib
import signal
import tempfile

from client import PASSWORD, PROJECT, claims, failure, running

# Each test starts its own emulator.
ARGUMENTS = None


def export(_):
    """An export can be imported: passwords, phones, TOTP secrets, claims and tenants."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "export")
        with running("--export-on-exit", path) as server:
            email, user = server.user()
            server.enroll_phone(user["idToken"], "+15555550100", "mine")
            server.update(user["localId"], customAttributes='{"a":1}')
            other, secret, uid, answer = server.member()
            # Only administrators see it, with whose requests Google's tools export.
            assert secret not in json.dumps(server.look(answer["idToken"]))
            tenant = server.tenant(allowPasswordSignup=True)
            inside, _ = server.user(tenant=tenant)

        def written(name):
            return json.loads(pathlib.Path(path, name).read_text(encoding="utf-8"))
        assert written("firebase-export-metadata.json")["auth"]["path"] == "auth_export"
        users = written("auth_export/accounts.json")["users"]
        entry, = next(user for user in users if user["email"] == other)["mfaInfo"]
        assert len(users) == 2 and entry["emulatorTotpSecret"] == secret and entry["totpInfo"] == {}
        # Another export replaces it: a tenant that was deleted does not come back.
        with running("--import", path, "--export-on-exit", path) as server:
            assert server.sign_in(email)["mfaInfo"][0]["displayName"] == "mine"
            look, = server.admin("/accounts:lookup", {"localId": [user["localId"]]})["users"]
            assert look["customAttributes"] == '{"a":1}' and look["createdAt"].isdigit()
            server.advance(31)
            assert server.prove_totp(server.pending(other), uid, server.totp(secret))["idToken"]
            assert server.sign_in(inside, tenantId=tenant)["idToken"]
            server.admin(f"/tenants/{tenant}", method="DELETE", version="v2")
        assert sorted(os.listdir(os.path.join(path, "auth_export"))) == ["accounts.json", "config.json"]


def googles_export(_):
    """Reads an export as `firebase emulators:export` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        os.mkdir(os.path.join(folder, "auth_export"))

        def write(name, content):
            pathlib.Path(folder, name).write_text(json.dumps(content), encoding="utf-8")
        write("firebase-export-metadata.json", {
            "version": "13.29.1", "auth": {"version": "13.29.1", "path": "auth_export"}})
        write("auth_export/config.json", {"signIn": {"allowDuplicateEmails": False}})
        write("auth_export/accounts.json", {"kind": "identitytoolkit#DownloadAccountResponse", "users": [{
            "localId": "RKpuX1vu3Yy0Z0cHRYQ7Jwm6XxLs", "createdAt": "1735689600000", "validSince": "1735689600",
            "displayName": "", "emailVerified": True, "email": "a@example.com", "salt": "fakeSaltsgCZlPVNaDyKUmYCpHwk",
            "passwordHash": f"fakeHash:salt=fakeSaltsgCZlPVNaDyKUmYCpHwk:password={PASSWORD}",
            "passwordUpdatedAt": 1735689600000, "providerUserInfo": [
                {"providerId": "password", "email": "a@example.com", "rawId": "a@example.com"},
                {"providerId": "google.com", "email": "a@example.com", "rawId": "12345", "federatedId": "12345"}],
            "lastRefreshAt": "2025-01-01T00:00:00.000Z", "mfaInfo": [{
                "displayName": "phone", "phoneInfo": "+15555550100", "unobfuscatedPhoneInfo": "+15555550100",
                "mfaEnrollmentId": "abcdefghijklmnopqrstuvwxyzAB", "enrolledAt": "2025-01-01T00:00:00.000Z"}]}]})
        with running("--import", folder) as server:
            hint, = server.sign_in("a@example.com")["mfaInfo"]
            assert hint["enrolledAt"] == "2025-01-01T00:00:00.000Z" and hint["phoneInfo"] == "+*******0100"
            assert server.admin("/accounts:lookup", {"federatedUserId": [
                {"providerId": "google.com", "rawId": "12345"}]})["users"]
        # What Google's emulator may write tomorrow; and a TOTP factor without its secret.
        write("auth_export/accounts.json", {"kind": "x", "tomorrow": 1, "users": [
            {"localId": "a", "email": "b@example.com", "emailVerified": True, "passkeyInfo": [{"credentialId": "c"}],
             "rawPassword": PASSWORD, "mfaInfo": [{"mfaEnrollmentId": "t", "totpInfo": {}, "tomorrow": {}}]}]})
        with running("--import", folder, stderr=log) as server:
            assert server.sign_in("b@example.com")["idToken"]
        warning = pathlib.Path(log).read_text(encoding="utf-8")
        for name in ("accounts.json", "users[].passkeyInfo", "users[].mfaInfo[].tomorrow", "TOTP factors, 1 in all"):
            assert name in warning, warning
        # Errors name the file, and are sentences.
        for users, text in (([{"email": "without-a-name@example.com"}], "localId is missing"),
                            ([{"localId": "a", "email": []}], "users[0].email"), ({}, "users"), (1, "users")):
            write("auth_export/accounts.json", {"users": users})
            error = failure("--import", folder)
            assert text in error and "accounts.json" in error and "APIError" not in error, error
    assert "not imported" in failure("--import", os.path.dirname(os.path.abspath(__file__)))


def localhost(_):
    """`localhost` is both addresses, at one port; a client that keeps its connection open does not keep it."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with running("--host", "localhost") as server:
            connections = [http.client.HTTPConnection(address, server.port, timeout=60)
                           for address in ("127.0.0.1", "::1")]
            for connection in connections:
                connection.request("GET", "/")
                assert json.loads(connection.getresponse().read())["authEmulator"]["ready"]
            server.process.send_signal(number)
            assert server.process.wait(60) == 0, number


def arguments(_):
    """What it prints on start, and which options it refuses."""
    for wrong in (["--port", "70000"], ["--project", "a b"], ["--project", ""], ["extra"],
                  ["--export-on-exit", os.path.join(__file__, "export")], ["--export-on-exit", "/proc/export"]):
        assert failure(*wrong)
    with running("--host", "127.0.0.1", "--project", "another") as server:
        assert server.own("clock", project="another")["stopped"] is False
        assert claims(server.js("accounts:signUp", {})["idToken"])["aud"] == "another" != PROJECT
        assert "Never use it for users" in "".join(server.said)
        assert "Address already in use" in failure("--port", str(server.port))
