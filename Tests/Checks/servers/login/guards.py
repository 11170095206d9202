"""What the example refuses: forged forms, endless guesses, malformed bodies, old sessions and links; and what it never
prints."""
import concurrent.futures
import json
import re
import socket
import time
import urllib.parse
import urllib.request

from example import ARGUMENTS, LINK, PASSWORD, PRINTED, SECRETS, running


def forms(site):
    """Every form needs its session's token, and every page has its headers."""
    email = "forms@example.com"
    one = site.sign_up(email)
    page, fields = one.get("/sign-in"), {"email": email, "password": PASSWORD}
    assert one.post("/sign-in", fields).status == one.post("/sign-in", fields | {"csrf": "x"}).status == 403
    # It comes back with what was typed, but for the password; so does one of a session that has expired.
    typed = {"email": email, "password": PASSWORD, "phone": "+49 30 1234567", "token": "a"}
    for sender in (one, site.browser(), site.browser(Cookie="session=1000000000.x")):
        for path, name in (("/sign-in", "email"), ("/sign-up", "email"), ("/verify", "token")):
            old = sender.post(path, typed | {"csrf": "x"})
            assert old.status == 403 and old.form(path)[name] == typed[name] and "too old" in old.texts["error"], path
            assert PASSWORD not in old.text
    assert site.browser().post("/sign-in", page.form("/sign-in") | fields).status == 403
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert page.headers["Cache-Control"] == "no-store" and page.headers["X-Content-Type-Options"] == "nosniff"
    cookie = site.browser().get("/sign-in").headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    for path in ("/nothing", "/factors", "/sign-in/x"):
        for page in (one.get(path), site.browser().get(path), one.post(path, {"x": "y"})):
            assert page.status == 404 and "no page at this address" in page.texts["main"], path
            assert page.headers["Content-Security-Policy"] == policy and page.headers["Set-Cookie"] is None
    page = one.post("/sign-in", {"x": "y" * 20_000})
    assert page.status == 413 and page.headers["Content-Security-Policy"] == policy


def accounts(site):
    """The pages do not reveal whether an account exists. Signing up with another user's address gains nothing: the next
    sign-up with that address replaces it."""
    email, password, thief = "victim@example.com", "the thief's own password", site.browser()
    thief.fill("/sign-up", email=email, password=password)
    link = site.message(LINK % email)
    page = thief.sign_in(email, password)
    assert page.status == 422 and "Open the link" in page.texts["error"]
    assert thief.fill(link, "/verify", password="another one, and long").status == 422
    victim = site.sign_up(email)
    assert thief.fill(link, "/verify", password=password).status == thief.sign_in(email, password).status == 422
    assert victim.sign_in(email).path == "/account"
    page = thief.fill("/sign-up", email=email, password=PASSWORD)
    assert page.path == "/sign-in" and "link was sent" in page.texts["status"]
    site.message(rf"To {email}: .*(already)")
    good = {"email": "a@b.example", "password": PASSWORD}
    for bad in ({"email": "x"}, {"email": "a\u202e@b.example"}, {"email": "a\x85@b.example"}, {"password": "short"}):
        assert thief.fill("/sign-up", **good | bad).status == 422, bad
    answers, times = {}, {}
    for address in ("nobody@b.example", email) * 3:
        start = time.monotonic()
        answers[address] = thief.sign_in(address, "wrong, and long enough")
        times[address] = min(times.get(address, 9), time.monotonic() - start)
    unknown, known = answers.values()
    assert unknown.texts["error"] == known.texts["error"] and unknown.status == known.status == 422
    assert times["nobody@b.example"] > times[email] / 2, times
    # Passwords are normalized, since keyboards differ.
    site.sign_up("keys@example.com", "caf\u00e9 au lait \ufb01ve times")
    assert site.browser().sign_in("keys@example.com", "cafe\u0301 au lait five times").path == "/account"


def limits(_):
    """Attempts are limited by address: the last one that the proxy added, or an IPv6 /64 network."""
    with running("--attempts", "3", "--behind-proxy") as site:
        one = site.browser(X_Forwarded_For="192.0.2.1")
        assert [one.sign_in("x", "x").status for _ in range(3)] == [422, 422, 429]
        page = one.sign_in("x", "x")
        assert page.status == 429 and 1 <= int(page.headers["Retry-After"]) <= 20, page.headers["Retry-After"]
        # Some proxies write the port too.
        for seen, status in (
                ("198.51.100.1, 192.0.2.1", 429), ("192.0.2.1:80", 429), ("192.0.2.1, 192.0.2.2", 200), ("", 200),
                ("::ffff:192.0.2.3", 200), ("::ffff:192.0.2.4", 200), ("::FFFF:192.0.2.1", 429),
                ("::ffff:c000:201", 429), ("2001:db8::", 200), ("[2001:db8::1]", 200), ("[2001:db8::2]:80", 200),
                ("2001:db8::3", 429), ("2001:db8:0:1::1", 200)):
            page = site.browser(X_Forwarded_For=seen).get("/sign-in")
            assert page.status == status and (page.headers["Set-Cookie"] is None) == (status == 429), seen
    with running("--attempts", "2") as site:
        browsers = [site.browser(X_Forwarded_For=f"192.0.2.{i}") for i in range(3)]
        for one in browsers:
            one.address = browsers[0].address
        assert [one.get("/").status for one in browsers] == [200, 200, 429]


def slow(_):
    """A client that sends a byte a second, nothing, or requests whose responses it does not take, is disconnected."""
    style = b"GET /style.css HTTP/1.1\r\nHost: x\r\n\r\n"
    beginnings = (b"", b"GET /", style + b"GET / HTTP/1.1\r\nX-Long: ",
                  b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", style * 20_000)

    def seconds(port, beginning):
        start, reads = time.monotonic(), len(beginning) < 1000
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            while time.monotonic() - start < 40:
                try:
                    if beginning:
                        beginning = beginning[connection.send(beginning):] or b"a"
                    if not reads:
                        time.sleep(1)
                    elif connection.recv(100_000) == b"":
                        break
                except TimeoutError:
                    pass
                except OSError:
                    break
        return time.monotonic() - start

    with running() as site, concurrent.futures.ThreadPoolExecutor(len(beginnings)) as pool:
        port = site.browser().port
        ends = list(pool.map(lambda beginning: seconds(port, beginning), beginnings))
    assert all(15 < end < 30 for end in ends), ends


def addresses(_):
    """What is printed can be opened, also on a free port of IPv6; behind TLS, other hosts cannot set the cookie."""
    with running("--host", "::1", "--port", "0") as site, urllib.request.urlopen(site.origin) as answer:
        assert not site.origin.endswith(":0") and answer.geturl() == f"{site.origin}/sign-in"
    with running("--origin", "https://login.example") as site:
        one = site.browser()
        page = one.get("/sign-up")
        cookie = page.headers["Set-Cookie"]
        assert cookie.startswith("__Host-session=") and "Secure" in cookie and "Domain" not in cookie, cookie
        assert page.headers["Strict-Transport-Security"]
        one.submit(page, "/sign-up", email="secure@example.com", password=PASSWORD)
        assert site.message(r"(https://login\.example/verify\?)")


def hostile(site):
    """No input causes a server error, or a redirect to another site."""
    email = "hostile@example.com"
    one, waiting = site.member(email), site.browser()
    one.enroll("App")
    waiting.sign_in(email)
    uid = waiting.get("/second-factor").form("/second-factor")["factor"]
    texts = ["", "\0", "%", "\r\nSet-Cookie: a=b", "\u202e", "x" * 10_000, "<script>🦊"]
    names = ("email", "password", "token", "factor", "code", "name")
    for action in ("/sign-up", "/sign-in", "/verify", "/second-factor", "/recovery", "/factors/add", "/factors/remove"):
        for text in texts:
            for sender, path in ((waiting, "/second-factor"), (one, "/factors/add")):
                token = {"csrf": sender.get(path).forms[0][1]["csrf"]}
                for fields in ({name: text for name in names}, {"factor": uid, "code": text, "name": text}):
                    page = sender.post(action, fields | token)
                    assert page.status < 500 and set(sender.cookies) == {"session"}, (action, fields)
        for body in (b"%", b"a", b"a=1&a=2", b"csrf[]=1", b"\xff\xfe=\x00", b"&&==", b"a" * 16_000):
            page = one.send("POST", action, body, "application/x-www-form-urlencoded")
            assert page.status in (400, 403) or page.path == "/account", (action, body[:20])
    assert one.get("/account").path == "/account"
    for cookie in ("x", "9999999999.", "9999999999." + "x" * 3_000, ".9999999999", "1.x"):
        assert site.browser(Cookie=f"session={cookie}").get("/account").path == "/sign-in"
    # The links to other languages stay on this site, whatever the path.
    for path, expected in (("//sign-in", "/sign-in"), ("/\\evil.example", "/%5Cevil.example")):
        link = re.search(r'hreflang="ar" href="([^"]*)"', site.browser().get(path).text)[1]
        assert link == f"{expected}?lang=ar", link


def languages(site):
    """A page's link to the other language leads to the same page, right to left, and the language is kept."""
    one = site.browser("ar-EG,en;q=0.5")
    page = one.get("/verify?token=a%26b&email=%22%3E%3Cb%3E&lang=en")
    other = one.get(next(link for link in page.links if "lang=ar" in link))
    assert other.form("/verify") == page.form("/verify") and page.form("/verify")["token"] == "a&b"
    for page, language, direction in (
            (page, "en", "ltr"), (other, "ar", "rtl"), (one.get("/sign-in"), "ar", "rtl"),
            (site.browser("ar-EG,en;q=0.5").get("/sign-in"), "ar", "rtl")):
        assert ("html", {"lang": language, "dir": direction}) in page.tags


def escaped(site):
    """What was typed comes back as text, whatever marks make one character of it and of what HTML reads."""
    text = "'\"><injected>&amp;"
    texts = [text, "".join("\u0600" + char for char in text)]
    texts += ["".join(char + mark for char in text) for mark in ("\u0301", "\u200d", "\ufe0f")]
    for number, hostile in enumerate(texts):
        one = site.member(f"escaped{number}@example.com")
        link = "/verify?" + urllib.parse.urlencode({"token": hostile, "email": hostile})
        for page, action, names in (
                (one.get(link), "/verify", ("token", "email")),
                (site.browser().sign_in(hostile), "/sign-in", ("email",)),
                (one.fill("/phones/add", phone=hostile), "/phones/add", ("phone",))):
            assert "injected" not in {tag for tag, _ in page.tags}, page.text
            assert all(page.form(action)[name] == hostile for name in names), page.text
        one.enroll(hostile)
        page = one.get("/account")
        assert hostile in page.texts["li"] and "injected" not in {tag for tag, _ in page.tags}, page.text


def rotated(site):
    """Each step that verifies or changes something gives the session another name; a page that only shows does not."""
    email, number, names = "rotated@example.com", "+493012345680", []
    one = site.browser()

    def step(page, path):
        assert page.path == path, page.path
        names.append(one.cookie("session"))
        return page

    step(one.fill("/sign-up", email=email, password=PASSWORD), "/sign-in")
    step(one.fill(site.message(LINK % email), "/verify", password=PASSWORD), "/sign-in")
    step(one.sign_in(email), "/account")
    app, page = one.enroll("App")
    step(page, "/factors/add")
    step(one.fill("/recovery-codes"), "/recovery-codes")
    page = step(one.fill("/phones/add", phone=number), "/phones/code")
    step(one.submit(page, "/phones/code", code=site.text_message(number)), "/account")
    page = step(one.sign_in(email), "/second-factor")
    uid, phone = page.choices()
    step(one.post("/second-factor/message", page.form("/second-factor") | {"factor": phone}), "/second-factor")
    step(one.verify(app.code(), factor=uid), "/account")
    assert len(set(names)) == len(names), names
    assert one.get("/account").status == one.get("/factors/add").status == 200
    assert one.cookie("session") == names[-1]


def at_once(site):
    """A session that ends while a request waits for the database stays ended, though the request would have given it a
    new name; and a page that only shows writes nothing."""
    one = site.member("at-once@example.com")
    one.enroll("App")
    with site.documents() as database, concurrent.futures.ThreadPoolExecutor(1) as pool:
        def sessions():
            """Those of the user, with a handle."""
            return [(key, value) for key, value in database.execute("SELECT * FROM documents")
                    if bytes(key).startswith(b"session/") and "handle" in json.loads(value)
                    and json.loads(value)["email"] == "at-once@example.com"]

        one.get("/account")
        before = sessions()
        assert len(before) == 1 and one.get("/account").path == "/account" and sessions() == before
        page = one.get("/recovery-codes")
        database.execute("BEGIN IMMEDIATE")
        waiting = pool.submit(lambda: one.submit(page, "/recovery-codes"))
        time.sleep(1)
        database.execute("DELETE FROM documents WHERE key = ?", (before[0][0],))
        database.execute("COMMIT")
        waiting.result()
        assert sessions() == [] and one.get("/account").path == "/sign-in"


def old_links(site):
    """A link that verifies an address is good for a day, and once; who signs up again gets a new one."""
    links = {}
    for email, age in (("day@example.com", 86_300), ("old@example.com", 86_500)):
        site.browser().fill("/sign-up", email=email, password=PASSWORD)
        links[age] = site.message(LINK % email)
        key = f"account/{email}".encode()
        with site.documents() as database:
            (value,), = database.execute("SELECT document FROM documents WHERE key = ?", (key,))
            account = json.loads(value)
            account["signUpDate"] -= age
            database.execute("UPDATE documents SET document = ? WHERE key = ?", (json.dumps(account).encode(), key))
    pages = [site.browser().fill(links[age], "/verify", password=PASSWORD) for age in (86_300, 86_500, 86_300)]
    assert [page.status for page in pages] == [200, 422, 422], [page.text for page in pages]
    assert "more than a day old" in pages[1].texts["error"]
    site.sign_up("old@example.com")


def silent(_):
    """The output contains no password, key or recovery code."""
    printed = "".join(PRINTED)
    assert "Open http" in printed and "To life@example.com" in printed
    # The log follows LOG_LEVEL, with events and errors.
    for name in ("login-example", "api-example"):
        assert re.search(rf" debug {name}.*second_?factor_?required", printed, re.IGNORECASE), name
        assert re.search(rf" info {name}.* user=.*signed_?in", printed, re.IGNORECASE), name
    assert re.search(r" error login-example.* path=/sign-in", printed)
    for secret in SECRETS:
        assert secret not in printed and secret.replace(" ", "") not in printed


ALL = (forms, accounts, limits, slow, addresses, hostile, languages, escaped, rotated, at_once, old_links, silent)
