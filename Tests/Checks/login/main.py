"""A second factor on the example's pages, from enrollment to removal."""
import concurrent.futures
import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import traceback

import guards
import sessions
from browser import PASSWORD, SECRETS, Browser, enroll, message, running, sign_in, sign_up


def life(origin, messages):
    email = "life@example.com"
    browser = sign_up(origin, messages, email)
    assert sign_in(browser, email, "a wrong one, and long").status == 422
    before = browser.cookie()
    page = sign_in(browser, email.upper())
    assert page.path == "/account" and browser.cookie() != before
    # Enrollment: the QR code contains the key.
    page = browser.get("/factors/add")
    key = page.texts["key"]
    assert f"secret={key.replace(' ', '')}" in scan(page.text) and "issuer=Example" in scan(page.text)
    assert browser.send(page, "/factors/add", code="12345", name="Phone").status == 422
    app, page = enroll(browser, "Phone")
    codes = re.findall(r"<code>([A-Z2-7-]{29})</code>", page.text)
    assert len(codes) == 10, page.text
    SECRETS.extend(codes)
    account = browser.get("/account")
    assert "Phone" in account.texts["li"] and account.texts["left"] == "10"
    assert codes[0] not in account.text
    # The form sent again, as by reloading the page that showed the codes.
    again = browser.request("/factors/add", {"csrf": account.forms[0][1]["csrf"], "code": "123456", "name": "Phone"})
    assert again.path == "/account" and "Nothing was added" in again.texts["status"]
    # Sign-in: a wrong code, the right one, the same one again.
    other = Browser(origin)
    page = sign_in(other, email)
    assert page.path == "/second-factor" and other.get("/account").path == "/sign-in"
    assert f"signing in as {email}" in page.texts["main"]
    assert ("input", "one-time-code", "numeric") in [
        (tag, at.get("autocomplete"), at.get("inputmode")) for tag, at in page.tags]
    wrong = other.send(page, "/second-factor", code="abcdef")
    assert wrong.status == 422 and "not right" in wrong.texts["error"]
    code, before = app.code(), other.cookie()
    page = other.send(wrong, "/second-factor", code=code)
    assert page.path == "/account" and other.cookie() != before and "UTC" in page.texts["time"]
    # What helps after a used code is said after a wrong one, too, so that nobody learns which it was.
    third = Browser(origin)
    page = third.send(sign_in(third, email), "/second-factor", code=code)
    assert page.status == 422 and page.texts["error"] == wrong.texts["error"] and "next one" in page.texts["error"]
    # A recovery code, whichever is left, once.
    page = third.get("/recovery")
    assert "Any of your recovery codes" in page.texts["label"] and f"signing in as {email}" in page.texts["main"]
    page = third.send(page, "/recovery", code=codes[7].lower())
    assert page.path == "/account" and page.texts["left"] == "9"
    fourth = Browser(origin)
    sign_in(fourth, email)
    assert "another one" in fourth.send(fourth.get("/recovery"), "/recovery", code=codes[7]).texts["error"]
    # A way out of the second step.
    page = fourth.send(fourth.get("/recovery"), "/sign-out")
    assert page.path == "/sign-in" and fourth.get("/second-factor").path == "/sign-in"
    # Sign out everywhere.
    page = other.send(other.get("/account"), "/sign-out-everywhere")
    assert page.path == "/sign-in"
    assert browser.get("/account").path == third.get("/account").path == "/sign-in"


def several(origin, messages):
    email = "several@example.com"
    browser = sign_up(origin, messages, email)
    sign_in(browser, email)
    first, _ = enroll(browser, "First")
    second, page = enroll(browser, "<b>Second")
    assert page.path == "/account" and "&lt;b&gt;Second" in page.text and "<b>Second" not in page.text
    # A choice of factors.
    other = Browser(origin)
    page = sign_in(other, email)
    uids = [at["value"] for tag, at in page.tags if at.get("type") == "radio"]
    assert len(uids) == 2
    assert other.send(page, "/second-factor", factor=uids[1], code=second.code()).path == "/account"
    # New codes replace the old ones, after a question.
    page = other.get("/recovery-codes")
    assert "/recovery-codes" in other.get("/account").links and "replace all" in page.texts["main"]
    page = other.send(page, "/recovery-codes")
    assert len(re.findall(r"<code>[A-Z2-7-]{29}</code>", page.text)) == 10
    assert Browser(origin).get("/recovery-codes").path == "/sign-in"
    # The page that requires a recent second factor, which was just verified.
    assert other.get("/sensitive").path == "/sensitive"
    # Removing the factor enrolled last ends all sign-ins.
    page = remove(other, 1)
    assert page.path == "/sign-in" and browser.get("/account").path == "/sign-in"
    page = sign_in(other, email)
    assert other.send(page, "/second-factor", code=first.code()).path == "/account"
    # Removing the only one: the user stays signed in, and needs no second factor from then on.
    page = remove(other, is_last=True)
    assert page.path == "/account" and "none yet" in page.text
    assert other.get("/sensitive").path == "/account"
    assert sign_in(Browser(origin), email).path == "/account"


def remove(browser, number=0, is_last=False):
    """Removes a factor, which asks once more, and more plainly if it is the last."""
    page = browser.get([link for link in browser.get("/account").links if "/factors/remove?" in link][number])
    assert page.path == "/factors/remove" and "Remove this?" in page.texts["h1"]
    assert ("It is the last one" in page.texts["main"]) == is_last
    assert "none yet" not in browser.get("/account").text
    return browser.send(page, "/factors/remove")


def remembered(origin, messages):
    """A browser that is remembered needs no second step; it is listed, and forgotten."""
    email = "remembered@example.com"
    first = sign_up(origin, messages, email)
    sign_in(first, email)
    app, _ = enroll(first, "App")
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    browser = Browser(origin, User_Agent=agent)
    wrong = browser.send(sign_in(browser, email), "/second-factor", code="abcdef", remember="yes")
    assert wrong.form("/second-factor")["remember"] == "yes" and "browser" not in {item.name for item in browser.jar}
    page = browser.send(wrong, "/second-factor", code=app.code())
    kept = next(item for item in browser.jar if item.name == "browser")
    assert page.path == "/account" and "Firefox, Linux" in page.text and "127.0.0.1" in page.text
    assert kept.expires and kept.has_nonstandard_attr("HttpOnly") and kept.get_nonstandard_attr("SameSite") == "Lax"
    SECRETS.append(kept.value)
    assert "Firefox" in first.get("/account").text
    browser.send(page, "/sign-out")
    assert sign_in(browser, email).path == "/account"
    # It does not count for a page that asks for the second step, nor for a change.
    assert browser.get("/sensitive").path == "/second-factor"
    assert browser.get("/factors/add").path == "/sign-in"
    page = browser.send(browser.get("/recovery-codes"), "/recovery-codes")
    assert page.path == "/sign-in"
    page = browser.send(page, "/sign-in", email=email, password=PASSWORD)
    assert page.path == "/second-factor"
    # Remembered once more, it is still one browser.
    page = browser.send(page, "/second-factor", code=app.code(), remember="yes")
    assert page.path == "/recovery-codes" and "Replace your" in page.texts["h1"]
    assert browser.get("/account").text.count("Firefox") == 2
    # Nor for others.
    stranger = sign_up(origin, messages, "stranger@example.com")
    sign_in(stranger, "stranger@example.com")
    enroll(stranger, "App")
    browser.send(browser.get("/account"), "/sign-out")
    assert sign_in(browser, "stranger@example.com").path == "/second-factor"
    # Forgotten, in another browser.
    page = first.send(first.get("/account"), "/browsers/forget")
    assert page.path == "/account" and "forgotten" in page.texts["status"] and "Firefox" not in page.text
    assert sign_in(browser, email).path == "/second-factor"
    # Signing out everywhere forgets all.
    page = browser.send(browser.get("/second-factor"), "/second-factor", code=app.code(), remember="yes")
    assert sign_in(browser, email).path == "/account"
    first.send(first.get("/account"), "/sign-out-everywhere")
    assert sign_in(browser, email).path == "/second-factor"


def phones(origin, messages):
    """A phone as well as an app: its code works once, each sign-in needs a new message, and bad numbers are refused."""
    email = "phones@example.com"
    browser = sign_up(origin, messages, email)
    sign_in(browser, email)
    for number in ("", "12345", "+", "+49 30 abc", "<b>+49301234567"):
        page = browser.send(browser.get("/phones/add"), "/phones/add", phone=number)
        assert page.status == 422 and "not a phone number" in page.texts["error"] and "<b>" not in page.text
    assert "standard rates" in browser.get("/phones/add").text
    assert browser.send(browser.get("/phones/code"), "/phones/code", code="123456").status == 422
    page = browser.send(browser.get("/phones/add"), "/phones/add", phone="+49 (30) 123-45670")
    text = r"SMS to \+493012345670: (\d{6})"
    code = message(messages, text)
    wrong = browser.send(page, "/phones/code", code=other_code(code))
    assert wrong.status == 422 and "not right" in wrong.texts["error"]
    assert "latest message" in wrong.texts["error"]
    page = browser.send(wrong, "/phones/code", code=code)
    assert len(re.findall(r"<code>[A-Z2-7-]{29}</code>", page.text)) == 10
    assert "<bdi>+493012345670</bdi>" in browser.get("/account").text
    app, _ = enroll(browser, "App")
    page = browser.send(browser.get("/phones/add"), "/phones/add", phone="+493012345670")
    assert page.status == 422 and "already" in page.texts["error"]
    # Signing in: a choice, a message, and its code. Only four digits of the number are shown.
    other = Browser(origin)
    page = sign_in(other, email)
    phone, uid = [at["value"] for tag, at in page.tags if at.get("type") == "radio"]
    assert "+********5670" in page.text and "+493012345670" not in page.text
    for factor in (uid, "x", ""):
        refused = other.request("/second-factor/message", page.form("/second-factor") | {"factor": factor})
        assert refused.status == 422 and "Choose a phone" in refused.texts["error"], factor
    assert "text message" in other.send(page, "/second-factor", factor=phone, code=code).texts["error"]
    page = other.request("/second-factor/message", page.form("/second-factor") | {"factor": phone})
    assert page.path == "/second-factor" and "was sent" in page.texts["status"]
    assert page.form("/second-factor")["factor"] == phone
    new = message(messages, text)
    assert other.send(page, "/second-factor", factor=uid, code=new).status == 422
    assert other.send(page, "/second-factor", factor=phone, code=new).path == "/account"
    third = Browser(origin)
    page = sign_in(third, email)
    assert third.send(page, "/second-factor", factor=phone, code=new).status == 422
    assert third.send(page, "/second-factor", factor=uid, code=app.code()).path == "/account"
    # The number of messages per hour is limited.
    page = sign_in(third, email)
    for _ in range(10):
        sent = third.request("/second-factor/message", page.form("/second-factor") | {"factor": phone})
    assert sent.status == 422 and "Too many text messages" in sent.texts["error"]


def other_code(code):
    return f"{(int(code) + 1) % 10**6:06}"


def locked(origin, messages):
    email = "locked@example.com"
    browser = sign_up(origin, messages, email)
    sign_in(browser, email)
    enroll(browser, "App")
    other = Browser(origin)
    page = sign_in(other, email)
    for _ in range(20):
        page = other.send(page, "/second-factor", code="000000")
        if "Too many" in page.texts["error"]:
            break
    assert re.search(r"Wait until .+ at \d+:\d\d:\d\d\W[AP]M UTC, and", page.texts["error"]), page.texts["error"]


def claims(origin, messages):
    """Signing up with another user's address gains nothing: the next sign-up with that address replaces it."""
    email = "victim@example.com"
    thief = Browser(origin)
    thief.send(thief.get("/sign-up"), "/sign-up", email=email, password="the thief's own password")
    link = message(messages, rf"To {email}: http://[^/]+(/verify\?\S+)")
    victim = sign_up(origin, messages, email)
    assert thief.send(thief.get(link), "/verify", password="the thief's own password").status == 422
    assert sign_in(thief, email, "the thief's own password").status == 422
    assert sign_in(victim, email).path == "/account"
    # Passwords are normalized, since keyboards differ.
    sign_up(origin, messages, "keys@example.com", "caf\u00e9 au lait \ufb01ve times")
    assert sign_in(Browser(origin), "keys@example.com", "cafe\u0301 au lait five times").path == "/account"


def languages(origin, _):
    page = Browser(origin, "ar-EG,en;q=0.5").get("/sign-in")
    assert ("html", {"lang": "ar", "dir": "rtl"}) in page.tags and "تسجيل الدخول" in page.texts["h1"]
    browser = Browser(origin, "ar")
    assert ("html", {"lang": "en", "dir": "ltr"}) in browser.get("/sign-in?lang=en").tags
    assert ("html", {"lang": "en", "dir": "ltr"}) in browser.get("/sign-up").tags
    for page in (browser.get("/sign-in"), browser.get("/sign-up")):
        labeled = {at.get("for") for tag, at in page.tags if tag == "label"}
        fields = {at["id"] for tag, at in page.tags if tag == "input" and at.get("type") != "hidden"}
        assert fields == labeled, page.path


def kept(_, __):
    """Users and factors survive a restart; passwords and session names are never stored; expired sessions go."""
    with tempfile.TemporaryDirectory() as folder:
        with running("--attempts", "1000", folder=folder) as (origin, messages):
            email = "kept@example.com"
            browser = sign_up(origin, messages, email)
            sign_in(browser, email)
            app, _ = enroll(browser, "App")
            name = browser.cookie()
        for file in os.listdir(folder):
            with open(os.path.join(folder, file), "rb") as contents:
                kept = contents.read()
            assert PASSWORD.encode() not in kept and name.encode() not in kept and name[11:].encode() not in kept, file
        with contextlib.closing(sqlite3.connect(os.path.join(folder, "site.sqlite"))) as database:
            expired = [(f"session/{second:010}/x".encode(), b"{}") for second in range(1, 7)]
            database.executemany("INSERT INTO documents VALUES (?, ?)", expired)
            database.commit()
        with running(folder=folder) as (origin, messages):
            again = Browser(origin)
            page = sign_in(again, email)
            assert page.path == "/second-factor"
            assert again.send(page, "/second-factor", code=app.code()).path == "/account"
        with contextlib.closing(sqlite3.connect(os.path.join(folder, "site.sqlite"))) as database:
            keys = [bytes(key) for key, in database.execute("SELECT key FROM documents")]
            assert not {key for key, _ in expired} & set(keys) and any(key.startswith(b"session/") for key in keys)


def sign_in_after_wait(browser, email, app):
    page, code = sign_in(browser, email), app.code()
    while page.path != "/account":
        page = browser.send(page, "/second-factor", code=code)
        assert page.path == "/account" or "Too many" in page.texts["error"]


def shared(_, __):
    """Two servers on one PostgreSQL database act as one service."""
    url = f"postgres://otp@/postgres?host={os.environ['OTP_POSTGRESQL_FOLDER']}"
    arguments = ("--attempts", "1000", "--store", url)
    with (tempfile.TemporaryDirectory() as folder, running(*arguments, folder=folder) as (first, messages),
          running(*arguments, folder=folder) as (second, _)):
        email = "shared@example.com"
        browser = sign_up(first, messages, email)
        browser.origin = second
        assert sign_in(browser, email).path == "/account"
        app, page = enroll(browser, "App")
        codes = re.findall(r"<code>([A-Z2-7-]{29})</code>", page.text)
        # A sign-in continues on the other server, and so does the session after it.
        other = Browser(first)
        page = sign_in(other, email)
        other.origin = second
        assert other.send(page, "/second-factor", code=app.code()).path == "/account"
        other.origin = first
        assert other.get("/account").path == "/account"
        # A code, and a recovery code, sent to both servers at once: each is accepted once.
        for action, code in (("/second-factor", app.code()), ("/recovery", codes[0])):
            waiting = [Browser(origin) for origin in (first, second) * 3]
            pages = [sign_in(one, email) for one in waiting]
            pages = [one.get(action) if page.path != action else page for one, page in zip(waiting, pages)]
            with concurrent.futures.ThreadPoolExecutor(len(waiting)) as pool:
                pages = list(pool.map(lambda one, page: one.send(page, action, code=code), waiting, pages))
            assert [page.path for page in pages].count("/account") == 1, [page.path for page in pages]
            # The others count as failures, after which the user must wait; a sign-in clears them.
            sign_in_after_wait(waiting[0], email, app)
        # Both servers count wrong codes together.
        page = sign_in(other, email)
        for attempt in range(20):
            other.origin = (first, second)[attempt % 2]
            page = other.send(page, "/second-factor", code="abcdef" if attempt == 0 else "000000")
            if "Too many" in page.texts["error"]:
                break
        assert "Too many" in page.texts["error"] and attempt < 10
        # Sign out everywhere.
        browser.origin = second
        assert browser.get("/account").path == "/account"
        browser.send(browser.get("/account"), "/sign-out-everywhere")
        for one in waiting + [browser, other]:
            for one.origin in (first, second):
                assert one.get("/account").path == "/sign-in"
        # A server with a new keyring refuses the store.
        with contextlib.suppress(AssertionError), running(*arguments):
            raise RuntimeError("started with another store's factors")


def scan(page):
    """Reads a page's QR code with zbar."""
    side = int(re.search(r'viewBox="0 0 (\d+)', page)[1])
    dark = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", page)}
    scale = 4
    rows = [bytes(0 if (x // scale, y // scale) in dark else 255 for x in range(side * scale))
            for y in range(side * scale)]
    with tempfile.NamedTemporaryFile(suffix=".pgm") as file:
        file.write(b"P5 %d %d 255\n" % (side * scale, side * scale) + b"".join(rows))
        file.flush()
        return subprocess.run(["zbarimg", "--quiet", "--raw", file.name], capture_output=True, text=True,
                              check=True).stdout


def main():
    failed = passed = 0
    with running("--attempts", "1000") as (origin, messages):
        for test in (life, several, remembered, phones, locked, claims, languages, kept, shared, *sessions.TESTS,
                     *guards.TESTS):
            try:
                test(origin, messages)
                passed += 1
            except Exception:
                failed += 1
                traceback.print_exc()
                print(f"FAILED: {test.__name__}", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
