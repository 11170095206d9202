"""Between runs: `--import` and `--export-on-exit`, in Google's format; and what else the command line has."""
import http.client
import json
import os
import signal
import tempfile

from client import PASSWORD, PROJECT, claims, factor, failure, refused, running

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
            other, enrolled = server.user()
            secret, answer = server.enroll_totp(enrolled["idToken"], "app")
            uid = factor(answer)
            # Only administrators see it, with whose requests Google's tools export.
            assert secret not in json.dumps(server.look(answer["idToken"]))
            server.configure(emailPrivacyConfig={"enableImprovedEmailPrivacy": True})
            tenant = server.tenant(allowPasswordSignup=True)
            inside, _ = server.user(tenant=tenant)
        with open(os.path.join(path, "firebase-export-metadata.json"), encoding="utf-8") as file:
            assert json.load(file)["auth"]["path"] == "auth_export"
        with open(os.path.join(path, "auth_export", "accounts.json"), encoding="utf-8") as file:
            users = json.load(file)["users"]
        assert {entry["email"] for entry in users} == {email, other}
        written, = next(entry for entry in users if entry["email"] == other)["mfaInfo"]
        assert written["emulatorTotpSecret"] == secret and written["totpInfo"] == {}
        with running("--import", path) as server:
            pending = server.sign_in(email)
            assert pending["mfaInfo"][0]["displayName"] == "mine" and "idToken" not in pending
            look, = server.admin("/accounts:lookup", {"localId": [user["localId"]]})["users"]
            assert look["customAttributes"] == '{"a":1}' and look["createdAt"].isdigit()
            pending = server.sign_in(other)
            assert pending["mfaInfo"][0]["displayName"] == "app" and pending["mfaInfo"][0]["mfaEnrollmentId"] == uid
            server.advance(31)
            assert server.prove_totp(pending["mfaPendingCredential"], uid, server.totp(secret))["idToken"]
            assert server.sign_in(inside, tenantId=tenant)["idToken"]
            refused("INVALID_LOGIN_CREDENTIALS", server.sign_in, "nobody@example.com")
        # Another export replaces it: a tenant that was deleted does not come back.
        with running("--import", path, "--export-on-exit", path) as server:
            server.admin(f"/tenants/{tenant}", method="DELETE", version="v2")
        assert sorted(os.listdir(os.path.join(path, "auth_export"))) == ["accounts.json", "config.json"]
        assert sorted(os.listdir(path)) == ["auth_export", "firebase-export-metadata.json"]


def told(log):
    with open(log, encoding="utf-8") as file:
        return file.read()


def googles_export(_):
    """Reads an export as `firebase emulators:export` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        os.mkdir(os.path.join(folder, "auth_export"))

        def write(name, content):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        write("firebase-export-metadata.json", {
            "version": "13.29.1", "auth": {"version": "13.29.1", "path": "auth_export"}})
        write("auth_export/config.json", {
            "signIn": {"allowDuplicateEmails": False}, "emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}})
        write("auth_export/accounts.json", {"kind": "identitytoolkit#DownloadAccountResponse", "users": [{
            "localId": "RKpuX1vu3Yy0Z0cHRYQ7Jwm6XxLs", "createdAt": "1735689600000", "lastLoginAt": "1735689600000",
            "displayName": "", "photoUrl": "", "emailVerified": True, "email": "a@example.com",
            "salt": "fakeSaltsgCZlPVNaDyKUmYCpHwk", "validSince": "1735689600",
            "passwordHash": f"fakeHash:salt=fakeSaltsgCZlPVNaDyKUmYCpHwk:password={PASSWORD}",
            "passwordUpdatedAt": 1735689600000, "providerUserInfo": [{
                "providerId": "password", "email": "a@example.com", "federatedId": "a@example.com",
                "rawId": "a@example.com", "displayName": "", "photoUrl": ""}, {
                "providerId": "google.com", "rawId": "12345", "federatedId": "12345", "email": "a@example.com"}],
            "lastRefreshAt": "2025-01-01T00:00:00.000Z", "mfaInfo": [{
                "displayName": "phone", "phoneInfo": "+15555550100", "unobfuscatedPhoneInfo": "+15555550100",
                "mfaEnrollmentId": "abcdefghijklmnopqrstuvwxyzAB", "enrolledAt": "2025-01-01T00:00:00.000Z"}]}]})
        with running("--import", folder) as server:
            hint, = server.sign_in("a@example.com")["mfaInfo"]
            assert hint["enrolledAt"] == "2025-01-01T00:00:00.000Z" and hint["phoneInfo"] == "+*******0100"
            user, = server.admin("/accounts:lookup", {"federatedUserId": [
                {"providerId": "google.com", "rawId": "12345"}]})["users"]
            assert user["email"] == "a@example.com"
        # What Google's emulator writes today, and may write tomorrow.
        write("auth_export/accounts.json", {"kind": "x", "tomorrow": 1, "users": [
            {"localId": "a", "email": "b@example.com", "emailVerified": True, "passkeyInfo": [{"credentialId": "c"}],
             "rawPassword": PASSWORD, "mfaInfo": [
                 {"mfaEnrollmentId": "t", "totpInfo": {}, "emulatorTotpSecret": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
                  "tomorrow": {}}]}]})
        with running("--import", folder, stderr=log) as server:
            code = server.totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
            assert server.prove_totp(server.pending("b@example.com"), "t", code)["idToken"]
            warning = told(log)
            for name in ("accounts.json", "users[].passkeyInfo", "users[].mfaInfo[].tomorrow", "tomorrow"):
                assert name in warning, warning
        # A TOTP factor without its secret, as exported before Google's emulator had TOTP.
        write("auth_export/accounts.json", {"users": [{
            "localId": "a", "email": "c@example.com", "emailVerified": True, "rawPassword": PASSWORD,
            "mfaInfo": [{"mfaEnrollmentId": "t", "totpInfo": {}}]}]})
        os.remove(log)
        with running("--import", folder, stderr=log) as server:
            assert "TOTP factors, 1 in all" in told(log)
            assert server.sign_in("c@example.com")["idToken"]
        # Errors name the file, and are sentences.
        for users, text in (([{"email": "without-a-name@example.com"}], "localId is missing"),
                            ([{"localId": "a", "email": []}], "users[0].email"), ({}, "users"), (1, "users")):
            write("auth_export/accounts.json", {"users": users})
            error = failure("--import", folder)
            assert text in error and "accounts.json" in error and "APIError" not in error, error
        with open(os.path.join(folder, "auth_export", "accounts.json"), "w", encoding="utf-8") as file:
            file.write("{")
        assert "accounts.json" in failure("--import", folder)
    assert "not imported" in failure("--import", os.path.dirname(os.path.abspath(__file__)))


def localhost(_):
    """`localhost` is both addresses, at one port."""
    with running("--host", "localhost") as server:
        answers = []
        for address in ("127.0.0.1", "::1"):
            connection = http.client.HTTPConnection(address, server.port, timeout=60)
            connection.request("GET", "/")
            answers.append(json.loads(connection.getresponse().read())["authEmulator"]["ready"])
            connection.close()
        assert answers == [True, True]
        server.process.terminate()
        assert server.process.wait(60) == 0


def ends(_):
    """SIGTERM and SIGINT end it, even while a client keeps its connection open."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with running() as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("GET", "/")
            connection.getresponse().read()
            server.process.send_signal(number)
            assert server.process.wait(60) == 0, number
            connection.close()


def arguments(_):
    """What it prints on start, and which options it refuses."""
    for wrong in (["--port", "70000"], ["--project", "a b"], ["--project", ""], ["extra"],
                  ["--export-on-exit", os.path.join(__file__, "export")], ["--export-on-exit", "/proc/export"]):
        assert failure(*wrong)
    with running("--host", "127.0.0.1", "--project", "another") as server:
        assert server.js("accounts:signUp", {})["localId"]
        assert server.own("clock", project="another")["stopped"] is False
        assert claims(server.js("accounts:signUp", {})["idToken"])["aud"] == "another" != PROJECT
        assert "Never use it for users" in "".join(server.said)
        assert "Address already in use" in failure("--port", str(server.port))


ALL = [export, googles_export, localhost, ends, arguments]
