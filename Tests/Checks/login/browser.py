"""Starts the example, and uses it like a browser without JavaScript: pages, forms, cookies."""
import base64
import contextlib
import ctypes
import hashlib
import hmac
import html.parser
import http.cookiejar
import os
import queue
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


class Page(html.parser.HTMLParser):
    """The content of a page: its forms with their fields, its texts by id, role or element, its links."""

    def __init__(self, status, address, headers, text):
        super().__init__()
        self.status, self.address, self.headers, self.text = status, address, headers, text
        self.path = urllib.parse.urlparse(address).path
        self.forms, self.links, self.tags, self.texts = [], [], [], {}
        self.open = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in ("input", "meta", "link", "rect", "path"):
            self.open.append((tag, attributes))
        if tag == "form":
            self.forms.append((attributes["action"], {}))
        elif tag == "input" and self.forms:
            if attributes.get("type") not in ("radio", "checkbox") or "checked" in attributes:
                self.forms[-1][1][attributes["name"]] = attributes.get("value") or ""
        elif tag == "a":
            self.links.append(attributes["href"])

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for tag, attributes in self.open:
            name = attributes.get("id") or attributes.get("role") or tag
            self.texts[name] = self.texts.get(name, "") + data

    def form(self, action, number=0):
        return [fields for path, fields in self.forms if path == action][number]


class Browser:
    def __init__(self, origin, language="en", **headers):
        self.origin = origin
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.opener.addheaders = [("Accept-Language", language)]
        self.opener.addheaders += [(name.replace("_", "-"), value) for name, value in headers.items()]

    def get(self, path):
        return self.request(path)

    def request(self, path, fields=None):
        data = fields if fields is None or isinstance(fields, bytes) else urllib.parse.urlencode(fields).encode()
        address = urllib.parse.urljoin(self.origin, path)
        try:
            answer = self.opener.open(urllib.request.Request(address, data), timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return Page(answer.status, answer.geturl(), answer.headers, answer.read().decode())

    def send(self, page, action, number=0, **fields):
        """Fills in a form of a page, and submits it."""
        return self.request(action, page.form(action, number) | fields)

    def cookie(self):
        return next((cookie.value for cookie in self.jar if cookie.name == "session"), None)


def totp(key, step):
    secret = base64.b32decode(key.replace(" ", ""))
    digest = hmac.new(secret, struct.pack(">Q", step), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 10**6:06}"


class App:
    """An authenticator app whose clock is four steps behind and gains one with each code, so that each code is new."""

    def __init__(self, key):
        self.key = key
        self.step = int(time.time()) // 30 - 4
        SECRETS.append(key)

    def code(self):
        self.step += 1
        return totp(self.key, self.step)


# The example must never print these: passwords, keys, recovery codes.
PASSWORD = "correct horse battery staple"
SECRETS = [PASSWORD]
# All lines that it has printed.
PRINTED = []


def end_with_parent():
    """Ends the server if the test is killed (Linux's PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def read(output, messages):
    """Collects the lines that the example prints, and puts those that are mails or text messages into the queue."""
    for line in output:
        PRINTED.append(line)
        if re.match(r"(To|SMS to) ", line):
            messages.put(line)


@contextlib.contextmanager
def running(*arguments, folder=None):
    """Runs the example, and yields its address and the messages that it sends."""
    with tempfile.TemporaryDirectory() as temporary:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = str(listener.getsockname()[1])
        process = subprocess.Popen(
            [os.environ["LOGIN_EXAMPLE"], "--port", port, "--data", folder or temporary, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=end_with_parent)
        try:
            found = None
            for line in process.stdout:
                PRINTED.append(line)
                found = re.match(r"Open (https?://\S+)", line)
                if found:
                    break
            assert found, "the example does not start"
            messages = queue.Queue()
            threading.Thread(target=read, args=(process.stdout, messages), daemon=True).start()
            yield found[1] if "--port" in arguments else f"http://127.0.0.1:{port}", messages
        finally:
            process.terminate()
            process.wait()


def message(messages, pattern):
    """The group of the next message that matches."""
    while True:
        if found := re.search(pattern, messages.get(timeout=60)):
            return found[1]


def sign_up(origin, messages, email, password=PASSWORD):
    browser = Browser(origin)
    page = browser.send(browser.get("/sign-up"), "/sign-up", email=email, password=password)
    assert page.path == "/sign-in" and "link was sent" in page.texts["status"]
    link = message(messages, rf"To {re.escape(email)}: http://[^/]+(/verify\?\S+)")
    page = browser.send(page, "/sign-in", email=email, password=password)
    assert page.status == 422 and "Open the link" in page.texts["error"]
    page = browser.send(browser.get(link), "/verify", password="another one, and long")
    assert page.status == 422
    page = browser.send(page, "/verify", password=password)
    assert "confirmed" in page.texts["status"]
    assert browser.send(browser.get(link), "/verify", password=password).status == 422
    return browser


def sign_in(browser, email, password=PASSWORD):
    return browser.send(browser.get("/sign-in"), "/sign-in", email=email, password=password)


def enroll(browser, name):
    """Adds an app, and returns it and the next page."""
    page = browser.get("/factors/add")
    app = App(page.texts["key"])
    return app, browser.send(page, "/factors/add", code=app.code(), name=name)
