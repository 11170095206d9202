"""What users do: enroll, sign in and remove, with apps, phones, recovery codes and remembered browsers. (That each code
counts once, and each wrong one, the check `doors` shows.)
"""
import contextlib
import os
import re
import subprocess
import tempfile
import time
import urllib.parse

from example import ARGUMENTS, PASSWORD, SECRETS, running


def life(site):
    """From enrollment to signing out everywhere."""
    email = "life@example.com"
    one = site.sign_up(email)
    assert one.sign_in(email, "a wrong one, and long").status == 422
    assert one.sign_in(email.upper()).path == "/account"
    assert one.fill("/factors/add", code="12345", name="Phone").status == 422
    app, page = one.enroll("Phone")
    codes = page.recovery_codes()
    account = one.get("/account")
    assert "Phone" in account.texts["li"] and account.texts["left"] == "10" == str(len(codes))
    assert codes[0] not in account.text
    # The form sent again, as by reloading the page that showed the codes.
    again = one.post("/factors/add", {"csrf": account.forms[0][1]["csrf"], "code": "123456", "name": "Phone"})
    assert again.path == "/account" and "Nothing was added" in again.texts["status"]
    # Sign-in: a wrong code, the right one.
    other = site.browser()
    page = other.sign_in(email)
    assert page.path == "/second-factor" and other.get("/account").path == "/sign-in"
    assert f"signing in as {email}" in page.texts["main"]
    # What helps after a used code is said after each wrong one.
    wrong = other.submit(page, "/second-factor", code="abcdef")
    assert wrong.status == 422 and "not right" in wrong.texts["error"] and "next one" in wrong.texts["error"]
    assert other.submit(wrong, "/second-factor", code=app.code()).path == "/account"
    # A recovery code, whichever is left, once.
    third = site.browser()
    third.sign_in(email)
    page = third.fill("/recovery", code=codes[7].lower())
    assert page.path == "/account" and page.texts["left"] == "9"
    # It allows a new app, but not new codes, which another sign-in would not change.
    assert "Add a new app or phone first" in page.texts["main"] and "/recovery-codes" not in page.links
    refused = third.get("/recovery-codes"), third.post("/recovery-codes", {"csrf": page.forms[0][1]["csrf"]})
    assert all(page.path == "/account" and "first" in page.texts["status"] for page in refused)
    assert "/recovery-codes" in third.enroll("New phone")[1].links
    fourth = site.browser()
    fourth.sign_in(email)
    assert "another one" in fourth.fill("/recovery", code=codes[7]).texts["error"]
    # A way out of the second step, and of everything.
    assert fourth.fill("/recovery", "/sign-out").path == fourth.get("/second-factor").path == "/sign-in"
    assert other.fill("/account", "/sign-out-everywhere").path == "/sign-in"
    assert one.get("/account").path == third.get("/account").path == "/sign-in"


def several(site):
    """Two apps: a choice, new recovery codes, and removal, which asks once more, and more plainly of the last."""
    email = "several@example.com"
    one, other = site.member(email), site.browser()
    first, _ = one.enroll("First")
    second, _ = one.enroll("Second")
    uids = other.sign_in(email).choices()
    assert len(uids) == 2 and other.verify(second.code(), factor=uids[1]).path == "/account"
    # New codes replace the old ones, after a question.
    page = other.get("/recovery-codes")
    assert "replace all" in page.texts["main"] and len(other.submit(page, "/recovery-codes").recovery_codes()) == 10
    # The page that requires a recent second factor, which was just verified.
    assert other.get("/sensitive").path == "/sensitive"

    def remove(number, is_last):
        page = other.get([link for link in other.get("/account").links if "/factors/remove?" in link][number])
        assert "Remove this?" in page.texts["h1"] and ("It is the last one" in page.texts["main"]) == is_last
        return other.submit(page, "/factors/remove")
    # Removing the factor enrolled last ends all sign-ins; after the only one, no second factor is needed.
    assert remove(1, False).path == one.get("/account").path == "/sign-in"
    other.sign_in(email)
    assert other.verify(first.code()).path == "/account"
    page = remove(0, True)
    assert page.path == "/account" and "none yet" in page.text and other.get("/sensitive").path == "/account"
    assert site.browser().sign_in(email).path == "/account"


def remembered(site):
    """A browser that is remembered needs no second step, but for a change; it is listed, and forgotten."""
    email = "remembered@example.com"
    first = site.member(email)
    app, _ = first.enroll("App")
    one = site.browser(User_Agent="Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    wrong = one.submit(one.sign_in(email), "/second-factor", code="abcdef", remember="yes")
    assert wrong.form("/second-factor")["remember"] == "yes" and not one.cookie("browser")
    page = one.submit(wrong, "/second-factor", code=app.code())
    kept = one.cookies["browser"]
    assert page.path == "/account" and "Firefox, Linux" in page.text and one.address in page.text
    assert kept["max-age"] and kept["httponly"] and kept["samesite"] == "Lax"
    SECRETS.append(kept.value)
    one.submit(page, "/sign-out")
    assert one.sign_in(email).path == "/account"
    # It does not count for a page that asks for the second step, nor for a change.
    assert one.get("/sensitive").path == "/second-factor" and one.get("/factors/add").path == "/sign-in"
    page = one.fill("/recovery-codes")
    assert page.path == "/sign-in"
    assert one.submit(page, "/sign-in", email=email, password=PASSWORD).path == "/second-factor"
    page = first.fill("/account", "/browsers/forget")
    assert page.path == "/account" and "forgotten" in page.texts["status"] and "Firefox" not in page.text
    assert one.sign_in(email).path == "/second-factor"


def again(site):
    """*Back* to the sign-in, and each of its forms sent twice, lead where the first one led."""
    email, password = "again@example.com", {"email": "again@example.com", "password": PASSWORD}
    app, _ = site.member(email).enroll("App")
    one = site.browser()
    first = one.get("/sign-in")
    second = one.submit(first, "/sign-in", **password)
    assert one.submit(first, "/sign-in", **password).path == second.path == "/second-factor"
    old, answer = one.cookies.copy(), {"code": app.code(), "remember": "yes"}
    for _ in range(2):
        page = one.submit(second, "/second-factor", **answer)
        assert page.path == "/account" and "status" not in page.texts
    for path in ("/", "/sign-in", "/second-factor", "/recovery"):
        assert one.get(path).path == "/account", path
    # Sent with the name that the session had: the browser may have the new one already, which must stay.
    late = site.browser()
    late.cookies = old
    body = urllib.parse.urlencode(second.form("/second-factor") | answer).encode()
    status, headers, _ = late._request("POST", "/second-factor", body, "application/x-www-form-urlencoded")
    assert (status, headers["Location"], headers["Set-Cookie"]) == (303, "/", None)
    # Where a second step led is not always the account.
    one.fill("/account", "/sign-out")
    assert one.sign_in(email).path == "/account"
    page, code = one.get("/sensitive"), app.code()
    assert [one.submit(page, "/second-factor", code=code).path for _ in range(2)] == ["/sensitive"] * 2
    assert one.get("/second-factor").path == "/account"


def tabs(site):
    """The key of an enrollment is the same in a second tab, until it is confirmed or canceled."""
    one = site.member("tabs@example.com")
    page = one.get("/factors/add")
    key = page.texts["key"]
    assert one.get("/factors/add").texts["key"] == key
    assert one.post("/factors/cancel", {"csrf": page.forms[0][1]["csrf"]}).path == "/account"
    page = one.get("/factors/add")
    assert page.texts["key"] != key
    wrong = one.submit(page, "/factors/add", code="abcdef", name="My app")
    assert wrong.texts["key"] == page.texts["key"] and wrong.form("/factors/add")["name"] == "My app"
    one.enroll("App")
    assert one.get("/factors/add").texts["key"] != page.texts["key"]


def phones(site):
    """A phone as well as an app: a sign-in needs a message of its own, and few messages are sent."""
    email, number = "phones@example.com", "+493012345670"
    one, other = site.member(email), site.browser()
    page = one.fill("/phones/add", phone="+49 (30) 123-45670")
    code = site.text_message(number)
    assert len(one.submit(page, "/phones/code", code=code).recovery_codes()) == 10
    one.enroll("App")
    page = one.fill("/phones/add", phone=number)
    assert "already" in page.texts["error"] and "standard rates" in page.text
    # Only four digits of the number are shown.
    page = other.sign_in(email)
    phone, uid = page.choices()
    assert "+********5670" in page.text and number not in page.text
    assert "text message" in other.submit(page, "/second-factor", factor=phone, code=code).texts["error"]
    for factor, text in ((uid, "Choose a phone"), ("x", "Choose a phone"), (phone, "was sent")):
        page = other.post("/second-factor/message", page.form("/second-factor") | {"factor": factor, "remember": "yes"})
        assert text in page.texts["status" if factor == phone else "error"], factor
        assert page.form("/second-factor")["remember"] == "yes", factor
    code = site.text_message(number)
    assert other.submit(page, "/second-factor", factor=phone, code=code, remember="").path == "/account"
    for _ in range(10):
        page = other.sign_in(email)
        page = other.post("/second-factor/message", page.form("/second-factor") | {"factor": phone})
    assert "Too many text messages" in page.texts["error"]


def kept(_):
    """Passwords and session names are never stored; expired sessions go with a restart, which users survive."""
    email = "kept@example.com"
    with tempfile.TemporaryDirectory() as folder:
        with running(*ARGUMENTS, folder=folder) as site:
            one = site.member(email)
            one.enroll("App")
            name = one.cookie("session").encode()
        for file in os.scandir(folder):
            with open(file, "rb") as contents:
                stored = contents.read()
            assert not any(secret in stored for secret in (PASSWORD.encode(), name, name[11:])), file.name
        with running(folder=folder) as site, site.documents() as database:
            expired = b"session/0000000001/x"
            database.execute("INSERT INTO documents VALUES (?, ?)", (expired, b"{}"))
            assert site.browser().sign_in(email).path == "/second-factor"
            assert database.execute("SELECT count(*) FROM documents WHERE key = ?", (expired,)).fetchone() == (0,)


def shared(_):
    """Two servers on one PostgreSQL database act as one service."""
    email, way = "shared@example.com", tempfile.mkdtemp(dir="/tmp")
    arguments = (*ARGUMENTS, "--store", f"postgres://otp@/postgres?host={way}/socket")
    os.symlink(os.environ["OTP_POSTGRESQL_FOLDER"], f"{way}/socket")
    with (tempfile.TemporaryDirectory() as folder, running(*arguments, folder=folder) as first,
          running(*arguments, folder=folder) as second):
        ports = [site.browser().port for site in (first, second)]
        one = first.sign_up(email)
        one.port = ports[1]
        assert one.sign_in(email).path == "/account"
        app, _ = one.enroll("App")
        # A sign-in continues on the other server, and so does the session after it.
        other = first.browser()
        other.sign_in(email)
        other.port = ports[1]
        assert other.verify(app.code()).path == "/account"
        other.port = ports[0]
        assert other.get("/account").path == "/account"
        page = other.submit(other.sign_in(email), "/second-factor", code="abcdef")
        for _ in range(20):
            page = other.submit(page, "/second-factor", code="000000")
            if "Too many" in page.texts["error"]:
                break
        assert re.search(r"Wait until .+ at \d+:\d\d:\d\d\W[AP]M UTC, and", page.texts["error"]), page.texts["error"]
        one.fill("/account", "/sign-out-everywhere")
        for browser in (one, other):
            for browser.port in ports:
                assert browser.get("/account").path == "/sign-in"
        down(one, f"{way}/socket")
        # A server with a new keyring refuses the store.
        with contextlib.suppress(AssertionError), running(*arguments):
            raise RuntimeError("started with another store's factors")


def down(one, socket):
    """Without its database, each page says so, and no balancer sends users; then all is as before."""
    def health():
        return one.get("/health").status, one.get("/health/alive").status

    def becomes(expected):
        for _ in range(60):
            if health() == expected:
                return
            time.sleep(0.5)
        raise AssertionError(health())
    becomes((200, 200))
    page = one.get("/sign-in")
    os.rename(socket, socket + ".away")
    subprocess.run(["psql", "--quiet", os.environ["OTP_POSTGRESQL"], "--command",
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"],
                   check=True, stdout=subprocess.DEVNULL)
    for failed in (one.get("/sign-in"), one.post("/sign-in", page.form("/sign-in"))):
        assert failed.status == 503 and "try again" in failed.texts["main"] and failed.headers["Retry-After"] == "10"
        assert "default-src 'none'" in failed.headers["Content-Security-Policy"] and not failed.headers["Set-Cookie"]
    becomes((503, 200))
    os.rename(socket + ".away", socket)
    becomes((200, 200))
    assert one.get("/sign-in").status == 200 and not one.get("/health").headers["Set-Cookie"]


ALL = (life, several, remembered, again, tabs, phones, kept, shared)
