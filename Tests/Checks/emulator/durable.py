"""`--data`: what was acknowledged survives SIGKILL, one process uses a folder, and errors name the file.

`KILLS=50 USERS=20000` kills it 50 times with 20,000 other users.
"""
import json
import os
import shutil
import sqlite3
import stat
import tempfile
import threading
import time

from client import PASSWORD, claims, failure, running

# Each test starts its own emulator.
ARGUMENTS = None
KILLS = int(os.environ.get("KILLS", "3"))
USERS = int(os.environ.get("USERS", "5000"))


class Background(threading.Thread):
    """Signs users up until the emulator is killed, and enrolls a factor for every fourth."""

    def __init__(self, server, name):
        super().__init__(daemon=True)
        self.server, self.name, self.users, self.enrolled = server, name, [], []

    def run(self):
        try:
            for number in range(1 << 20):
                email = f"{self.name}-{number}@example.com"
                user = self.server.js("accounts:signUp", {"email": email, "password": PASSWORD})
                self.users.append(email)
                if number % 4 == 0:
                    self.server.admin("/accounts:update", {"localId": user["localId"], "mfa": {"enrollments": [
                        {"phoneInfo": "+15555550100"}]}})
                    self.enrolled.append(email)
        except (OSError, EOFError, ValueError) as error:
            self.error = error


def killed(_):
    """A sign-up, an enrollment and a text message are there after SIGKILL, and what others have been told."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        with running("--data", path) as server:
            for start in range(0, USERS, 1000):
                answer = server.admin("/accounts:batchCreate", {"users": [
                    {"localId": f"filler-{number}", "email": f"filler-{number}@example.com", "rawPassword": PASSWORD}
                    for number in range(start, min(start + 1000, USERS))]})
                assert not answer["error"]
        made = []
        for number in range(KILLS):
            with running("--data", path) as server:
                for email, uid in made[-1:]:
                    check_user(server, email, uid)
                others = [Background(server, f"other-{number}-{which}") for which in range(4)]
                for other in others:
                    other.start()
                time.sleep(0.3)
                server.count = 1000 * number + USERS
                email, user = server.user()
                _, enrolled = server.enroll_totp(user["idToken"])
                sent = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550142"})["sessionInfo"]
                server.process.kill()
                server.process.wait()
                for other in others:
                    other.join()
            made.append((email, claims(enrolled["idToken"])["firebase"]["second_factor_identifier"]))
            with running("--data", path) as server:
                check_user(server, *made[-1])
                assert len(server.sms(sent)) == 6
                for other in others:
                    assert other.users
                    for email in other.users[-20:]:
                        answer = server.sign_in(email)
                        assert ("mfaPendingCredential" in answer) or email not in other.enrolled, email
                        # A user who is asked for a factor has one, and the others have none.
                        found, = server.admin("/accounts:lookup", {"email": [email]})["users"]
                        assert ("mfaPendingCredential" in answer) == bool(found.get("mfaInfo")), (email, found)
        with running("--data", path) as server:
            for email, uid in made:
                check_user(server, email, uid)
            count = server.admin("/accounts:query", {"returnUserInfo": False})["recordsCount"]
            assert int(count) >= USERS + len(made)


def check_user(server, email, uid):
    hint, = server.sign_in(email)["mfaInfo"]
    found, = server.admin("/accounts:lookup", {"email": [email]})["users"]
    assert hint["mfaEnrollmentId"] == found["mfaInfo"][0]["mfaEnrollmentId"] == uid


def interrupted(_):
    """Killed between a change of a user and one of the user's factors: what is asked for is what is shown."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        with running("--data", path) as server:
            email, user = server.user()
            server.enroll_totp(user["idToken"])
            _, removed = server.user()
            server.enroll_totp(removed["idToken"])
        with sqlite3.connect(os.path.join(path, "emulator.sqlite")) as database:
            def row(local):
                value, = database.execute("SELECT value FROM entries WHERE name = ?", [local]).fetchone()
                return json.loads(value)
            account = row(user["localId"])
            assert account["hadFactors"] and row(removed["localId"])
            account["hadFactors"] = False
            database.execute("UPDATE entries SET value = ? WHERE name = ?", [
                json.dumps(account).encode(), user["localId"]])
            database.execute("DELETE FROM entries WHERE name = ?", [removed["localId"]])
        database.close()
        for _ in range(2):
            with running("--data", path) as server:
                assert server.sign_in(email)["mfaInfo"]
                found, = server.admin("/accounts:lookup", {"email": [email]})["users"]
                assert len(found["mfaInfo"]) == 1
                server.count = 50
                new = server.new_email()
                server.admin("/accounts", {"localId": removed["localId"], "email": new, "password": PASSWORD})
                assert server.sign_in(new)["idToken"]
                server.admin("/accounts:delete", {"localId": removed["localId"]})


def private(_):
    """Only the owner can read the files; a second emulator on the folder is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        with running("--data", path) as server:
            server.user()
            for name in os.listdir(path):
                assert stat.S_IMODE(os.stat(os.path.join(path, name)).st_mode) == 0o600, name
            error = failure("--data", path)
            assert path in error and "in use by another auth-emulator" in error, error
            server.user()


def lost(_):
    """A file that is missing, damaged, or belongs to another is an error with its name, and is not replaced."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        with running("--data", path) as server:
            email, user = server.user()
            server.enroll_totp(user["idToken"])
        keyring, data = os.path.join(path, "keyring.json"), os.path.join(path, "emulator.sqlite")
        for file in (keyring, data):
            os.rename(file, file + ".kept")
            for _ in range(2):
                assert file in failure("--data", path)
            for content in (b"{", b"x" * 5000):
                with open(file, "wb") as opened:
                    os.chmod(file, 0o600)
                    opened.write(content)
                assert file in failure("--data", path)
            os.replace(file + ".kept", file)
        with running("--data", path + "2") as server:
            server.user()
        shutil.copy(keyring, keyring + ".kept")
        shutil.copy(os.path.join(path + "2", "keyring.json"), keyring)
        assert keyring in failure("--data", path)
        os.replace(keyring + ".kept", keyring)
        with running("--data", path) as server:
            assert server.sign_in(email)["mfaInfo"]
        with open(data, "r+b") as opened:
            opened.seek(4096)
            opened.write(b"\xff" * 8192)
        assert data in failure("--data", path)
        # A value of another type, which SQLite does not notice.
        for table, column in (("entries", "value"), ("documents", "document")):
            with running("--data", path + table) as server:
                email, user = server.user()
                server.enroll_totp(user["idToken"])
            with sqlite3.connect(os.path.join(path + table, "emulator.sqlite")) as database:
                database.execute(f"UPDATE {table} SET {column} = 5")
            database.close()
            error = failure("--data", path + table)
            assert "emulator.sqlite: it is damaged" in error, error
        # The file of an earlier version.
        old = os.path.join(path, "state.json")
        with open(old, "w", encoding="utf-8") as opened:
            opened.write("{}")
        error = failure("--data", path)
        assert old in error and "--import" in error, error


def vanished(_):
    """If the folder is removed, changes get an error that names the file, and the process goes on."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        with running("--data", path) as server:
            server.user()
            shutil.rmtree(path)
            for _ in range(2):
                error = refused_with(500, server.js, "accounts:signUp", {})
                assert os.path.join(path, "emulator.sqlite") in error.message, error.message
            assert server.process.poll() is None
            server.process.terminate()
            assert server.process.wait(60) == 0


def returned(_):
    """A change that could not be written is written with the next one, and its code is printed once."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        with running("--data", path) as server:
            first, _ = server.user()
            os.rename(path, path + ".gone")
            refused_with(500, server.js, "accounts:signUp", {"email": "lost@example.com", "password": PASSWORD})
            refused_with(500, server.js, "accounts:sendVerificationCode", {"phoneNumber": "+15555550143"})
            os.rename(path + ".gone", path)
            second, _ = server.user()
            sent = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550144"})["sessionInfo"]
            server.process.kill()
            server.process.wait()
        with running("--data", path) as server:
            for email in (first, "lost@example.com", second):
                assert server.sign_in(email)["idToken"], email
            assert len(server.sms(sent)) == 6


def half_imported(_):
    """An import that fails leaves nothing in the folder."""
    with tempfile.TemporaryDirectory() as folder:
        path, export = os.path.join(folder, "data"), os.path.join(folder, "export")
        os.mkdir(export)
        users = [{"localId": f"u{number}", "email": f"u{number}@example.com"} for number in range(1500)]
        with open(os.path.join(export, "accounts.json"), "w", encoding="utf-8") as opened:
            json.dump({"users": [*users, {"localId": "x" * 129}]}, opened)
        assert "accounts.json" in failure("--data", path, "--import", export)
        with running("--data", path) as server:
            assert server.admin("/accounts:query", {"returnUserInfo": False})["recordsCount"] == "0"


def refused_with(status, function, /, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        assert error.status == status, error
        return error
    raise AssertionError("accepted")


ALL = [killed, interrupted, private, lost, vanished, returned, half_imported]
