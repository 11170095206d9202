"""What the example refuses: forged forms, endless guesses, malformed bodies; and what it never prints."""
import concurrent.futures
import re
import socket
import time
import urllib.parse

from browser import PASSWORD, PRINTED, SECRETS, Browser, enroll, message, running, sign_in, sign_up


def forms(origin, messages):
    """Every form needs its session's token, and every page has its headers."""
    email = "forms@example.com"
    browser = sign_up(origin, messages, email)
    page = browser.get("/sign-in")
    fields = {"email": email, "password": PASSWORD}
    assert browser.request("/sign-in", fields).status == 403
    assert browser.request("/sign-in", fields | {"csrf": "x"}).status == 403
    assert Browser(origin).request("/sign-in", page.form("/sign-in") | fields).status == 403
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert page.headers["Cache-Control"] == "no-store" and page.headers["X-Content-Type-Options"] == "nosniff"
    cookie = Browser(origin).get("/sign-in").headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    # The pages do not reveal whether an account exists.
    page = browser.send(browser.get("/sign-up"), "/sign-up", email=email, password=PASSWORD)
    assert page.path == "/sign-in" and "link was sent" in page.texts["status"]
    message(messages, rf"To {email}: .*(already)")
    good = {"email": "a@b.example", "password": PASSWORD}
    for bad in ({"email": "x"}, {"email": "a\u202e@b.example"}, {"email": "a\x85@b.example"}, {"password": "short"}):
        assert browser.send(browser.get("/sign-up"), "/sign-up", **good | bad).status == 422, bad
    unknown, known = (sign_in(browser, address, "wrong, and long enough") for address in ("nobody@b.example", email))
    assert unknown.texts["error"] == known.texts["error"] and unknown.status == known.status == 422
    for path in ("/nothing", "/factors", "/sign-in/x"):
        for page in (browser.get(path), Browser(origin).get(path), browser.request(path, {"x": "y"})):
            assert page.status == 404 and "no page at this address" in page.texts["main"], path
            assert page.headers["Content-Security-Policy"] == policy and page.headers["Cache-Control"] == "no-store"
            assert page.headers["Set-Cookie"] is None
    for path in ("/style.css", "/times.js"):
        file = browser.get(path)
        assert file.headers["X-Content-Type-Options"] == "nosniff" and "max-age" in file.headers["Cache-Control"]
    page = browser.request("/sign-in", {"x": "y" * 20_000})
    assert page.status == 413 and page.headers["Content-Security-Policy"] == policy


def limits(_, __):
    """Attempts are limited by address: the last one that the proxy added, or an IPv6 /64 network."""
    with running("--attempts", "3", "--behind-proxy") as (origin, _):
        browser = Browser(origin, X_Forwarded_For="192.0.2.1")
        statuses = [browser.send(browser.get("/sign-in"), "/sign-in", email="x", password="x").status for _ in range(3)]
        assert statuses == [422, 422, 429], statuses
        page = browser.send(Browser(origin, X_Forwarded_For="192.0.2.9").get("/sign-in"), "/sign-in")
        assert page.status == 429 and 1 <= int(page.headers["Retry-After"]) <= 20, page.headers["Retry-After"]
        for seen, status in (("198.51.100.1, 192.0.2.1", 429), ("192.0.2.1, 192.0.2.2", 200), ("", 200),
                             ("::ffff:192.0.2.3", 200), ("::ffff:192.0.2.4", 200)):
            page = Browser(origin, X_Forwarded_For=seen).get("/sign-in")
            assert page.status == status and (page.headers["Set-Cookie"] is None) == (status == 429), seen
        # Some proxies write the port too.
        assert Browser(origin, X_Forwarded_For="192.0.2.1:80").get("/sign-in").status == 429
        network = ("2001:db8::", "[2001:db8::1]", "[2001:db8::2]:80", "2001:db8::3")
        statuses = [Browser(origin, X_Forwarded_For=seen).get("/").status for seen in network]
        assert statuses == [200, 200, 200, 429], statuses
        assert Browser(origin, X_Forwarded_For="2001:db8:0:1::1").get("/").status == 200
    with running("--attempts", "2") as (origin, _):
        statuses = [Browser(origin, X_Forwarded_For=f"192.0.2.{i}").get("/").status for i in range(3)]
        assert statuses == [200, 200, 429], statuses


def slow(_, __):
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

    with running() as (origin, _), concurrent.futures.ThreadPoolExecutor(len(beginnings)) as pool:
        port = int(origin.rpartition(":")[2])
        ends = list(pool.map(lambda beginning: seconds(port, beginning), beginnings))
    assert all(15 < end < 30 for end in ends), ends


def addresses(_, __):
    """What is printed can be opened: the port that was free, and an address of IPv6."""
    for host in ("127.0.0.1", "::1"):
        with running("--host", host, "--port", "0") as (origin, messages):
            assert not origin.endswith(":0") and Browser(origin).get("/").path == "/sign-in", origin
            browser = Browser(origin)
            browser.send(browser.get("/sign-up"), "/sign-up", email="here@example.com", password=PASSWORD)
            assert message(messages, r"To here@example.com: (\S+)/verify").startswith(origin)


def secure(_, __):
    """Behind TLS, the cookie is sent only over TLS, and other hosts cannot set it."""
    with running("--origin", "https://login.example") as (origin, messages):
        browser = Browser(origin)
        page = browser.get("/sign-up")
        cookie = page.headers["Set-Cookie"]
        assert cookie.startswith("__Host-session=") and "Secure" in cookie and "Domain" not in cookie, cookie
        assert page.headers["Strict-Transport-Security"]
        # This test's browser has no TLS and would not send the cookie.
        again = Browser(origin, Cookie=cookie.split(";")[0])
        again.send(page, "/sign-up", email="secure@example.com", password=PASSWORD)
        assert message(messages, r"(https://login\.example/verify\?)")


def hostile(origin, messages):
    """No input causes a server error, or a redirect to another site."""
    email = "hostile@example.com"
    browser = sign_up(origin, messages, email)
    sign_in(browser, email)
    enroll(browser, "App")
    texts = ["", "\0", "%", "\r\nSet-Cookie: a=b", "\u202e", "x" * 10_000, "<script>🦊"]
    waiting = Browser(origin)
    sign_in(waiting, email)
    uid = waiting.get("/second-factor").form("/second-factor")["factor"]
    names = ("email", "password", "token", "factor", "code", "name")
    for action in ("/sign-up", "/sign-in", "/verify", "/second-factor", "/recovery", "/factors/add", "/factors/remove"):
        for text in texts:
            for sender, page in ((waiting, waiting.get("/second-factor")), (browser, browser.get("/factors/add"))):
                token = {"csrf": page.forms[0][1]["csrf"]}
                for fields in ({name: text for name in names}, {"factor": uid, "code": text, "name": text}):
                    page = sender.request(action, fields | token)
                    assert page.status < 500 and {cookie.name for cookie in sender.jar} == {"session"}, (action, fields)
        for body in (b"%", b"a", b"a=1&a=2", b"csrf[]=1", b"\xff\xfe=\x00", b"&&==", b"a" * 16_000):
            assert browser.request(action, body).status in (400, 403), (action, body[:20])
    assert browser.get("/account").path == "/account"
    for cookie in ("x", "9999999999.", "9999999999." + "x" * 3_000, ".9999999999", "1.x"):
        assert Browser(origin, Cookie=f"session={cookie}").get("/account").path == "/sign-in"
    # The links to other languages stay on this site, whatever the path.
    link = re.search(r'hreflang="ar" href="([^"]*)"', Browser(origin).get(origin + "//sign-in").text)[1]
    assert link == "/sign-in?lang=ar", link


def translated(origin, _):
    """A page's link to the other language leads to the same page; what answers a form has none."""
    browser = Browser(origin)
    page = browser.get("/verify?token=a%26b&email=%22%3E%3Cb%3E&lang=en")
    other = browser.get(next(link for link in page.links if "lang=ar" in link))
    assert ("html", {"lang": "ar", "dir": "rtl"}) in other.tags
    assert other.form("/verify") == page.form("/verify") and page.form("/verify")["token"] == "a&b"
    page = browser.send(page, "/verify", password=PASSWORD)
    assert page.status == 422 and not [link for link in page.links if "lang=" in link] and "nav" not in page.texts


def escaped(origin, messages):
    """What was typed comes back as text, whatever marks make one character of it and of what HTML reads."""
    text = "'\"><injected>&amp;"
    after = ("\u0301", "\u200d", "\ufe0f")
    texts = [text, "".join("\u0600" + char for char in text)]
    texts += ["".join(char + mark for char in text) for mark in after]
    for number, hostile in enumerate(texts):
        email = f"escaped{number}@example.com"
        browser = sign_up(origin, messages, email)
        sign_in(browser, email)
        link = "/verify?" + urllib.parse.urlencode({"token": hostile, "email": hostile})
        for page, action, names in (
                (browser.get(link), "/verify", ("token", "email")),
                (sign_in(Browser(origin), hostile), "/sign-in", ("email",)),
                (browser.send(browser.get("/phones/add"), "/phones/add", phone=hostile), "/phones/add", ("phone",))):
            assert "injected" not in {tag for tag, _ in page.tags}, page.text
            assert all(page.form(action)[name] == hostile for name in names), page.text
        enroll(browser, hostile)
        page = browser.get("/account")
        assert hostile in page.texts["li"] and "injected" not in {tag for tag, _ in page.tags}, page.text
    assert Browser(origin).get("/verify?email=%00").form("/verify")["email"] == "\ufffd"


def silent(_, __):
    """The output contains no password, key or recovery code."""
    printed = "".join(PRINTED)
    assert "Open http" in printed and "To life@example.com" in printed
    for secret in SECRETS:
        assert secret not in printed and secret.replace(" ", "") not in printed


TESTS = (forms, limits, slow, addresses, secure, hostile, escaped, translated, silent)
