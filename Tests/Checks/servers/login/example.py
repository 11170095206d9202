"""Starts the example, and uses it like a browser without JavaScript: pages, forms, cookies."""
import base64
import contextlib
import html.parser
import os
import queue
import re
import sqlite3
import tempfile
import time

import browser
from adapter import free_port
from main import running_program
from suite.codes import Key

PASSWORD = "correct horse battery staple"
# The example must never print these: passwords, keys, recovery codes, tokens of remembered browsers.
SECRETS = [PASSWORD]
# All lines that it has printed.
PRINTED = []
# Its pages, the first of each kind, for the accessibility checks in Chromium.
PAGES = {}
# So many attempts by each address that no test meets the limit.
ARGUMENTS = ("--attempts", "1000")
LINK = r"To %s: http://[^/]+(/verify\?\S+)"


class Page(browser.Page, html.parser.HTMLParser):
    """The content of a page: its forms with their fields, its texts by id, role or element, its links."""

    def __init__(self, *answer):
        html.parser.HTMLParser.__init__(self)
        browser.Page.__init__(self, *answer)
        self.forms, self.links, self.tags, self.texts, self.open = [], [], [], {}, []
        self.feed(self.text)
        if "h1" in self.texts:
            PAGES.setdefault((self.texts["h1"], self.status, *self.texts), self.text)

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

    def form(self, action):
        return next(fields for path, fields in self.forms if path == action)

    def choices(self):
        return [attributes["value"] for _, attributes in self.tags if attributes.get("type") == "radio"]

    def recovery_codes(self):
        codes = re.findall("<code>([A-Z2-7-]{29})</code>", self.text)
        SECRETS.extend(codes)
        return codes


class Browser(browser.Browser):
    page_type = Page

    def __init__(self, origin, language="en", **headers):
        super().__init__(int(origin.rpartition(":")[2]))
        self.headers = {"Accept-Language": language} | {
            name.replace("_", "-"): value for name, value in headers.items()}

    def submit(self, page, action, **fields):
        """Fills in a form of a page, and submits it."""
        return self.post(action, page.form(action) | fields)

    def fill(self, path, action=None, **fields):
        """Reads a page, fills in its form, and submits it."""
        return self.submit(self.get(path), action or path, **fields)

    def sign_in(self, email, password=PASSWORD):
        page = self.get("/sign-in")
        if page.path == "/account":
            page = self.submit(page, "/sign-out")
        return self.submit(page, "/sign-in", email=email, password=password)

    def verify(self, code, **fields):
        """Submits the code of an app or a phone."""
        return self.fill("/second-factor", code=code, **fields)

    def enroll(self, name):
        """Adds an app, and returns it and the next page."""
        page = self.get("/factors/add")
        app = App(page.texts["key"])
        return app, self.submit(page, "/factors/add", code=app.code(), name=name)


class App:
    """An authenticator app whose clock is four steps behind and gains one with each code, so that each code is new."""

    def __init__(self, key):
        self.key = Key(base64.b32decode(key.replace(" ", "")))
        self.step = int(time.time()) // 30 - 4
        SECRETS.append(key)

    def code(self):
        self.step += 1
        return self.key.at_step(self.step)


class Example:
    """The running example, and the messages that it sends."""

    def __init__(self, folder):
        self.messages, self.folder = queue.Queue(), folder

    def read(self, line):
        PRINTED.append(line)
        if line.startswith(("To ", "SMS to ")):
            self.messages.put(line)

    def message(self, pattern):
        """The group of the next message that matches."""
        while True:
            if found := re.search(pattern, self.messages.get(timeout=60)):
                return found[1]

    def text_message(self, number):
        return self.message(rf"SMS to \{number}: (\d{{6}})")

    def browser(self, *arguments, **headers):
        return Browser(self.origin, *arguments, **headers)

    def sign_up(self, email, password=PASSWORD):
        """A new user, whose address is verified."""
        one = self.browser()
        page = one.fill("/sign-up", email=email, password=password)
        assert page.path == "/sign-in" and "link was sent" in page.texts["status"]
        page = one.fill(self.message(LINK % re.escape(email)), "/verify", password=password)
        assert "confirmed" in page.texts["status"]
        return one

    def member(self, email):
        """A new user, signed in."""
        one = self.sign_up(email)
        assert one.sign_in(email).path == "/account"
        return one

    def documents(self):
        """The database of users and sessions, each statement by itself."""
        return contextlib.closing(sqlite3.connect(os.path.join(self.folder, "site.sqlite"), isolation_level=None))


@contextlib.contextmanager
def running(*arguments, folder=None):
    """Runs the example."""
    with tempfile.TemporaryDirectory() as temporary:
        port, log = free_port(), os.path.join(temporary, "log")
        site = Example(folder or temporary)
        command = ["env", f"PORT={port}", "LOG_LEVEL=debug", os.environ["LOGIN_EXAMPLE"], "--data", site.folder]
        with running_program([*command, *arguments], log, r"^Open (https?://\S+)", site.read) as (process, origin):
            site.process, site.origin = process, origin if "--port" in arguments else f"http://127.0.0.1:{port}"
            yield site
        assert process.returncode == 0, process.returncode
        with open(log, encoding="utf-8") as lines:
            PRINTED.extend(lines)
