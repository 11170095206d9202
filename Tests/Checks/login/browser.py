"""Starts the example, and uses it as a browser without JavaScript does: pages, forms, cookies."""
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
    """What a page has: its forms with their fields, its texts by the names of their elements, its links."""

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
            if attributes.get("type") != "radio" or "checked" in attributes:
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
    def __init__(self, origin, language="en"):
        self.origin = origin
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.opener.addheaders = [("Accept-Language", language)]

    def get(self, path):
        return self.request(path)

    def request(self, path, fields=None):
        data = None if fields is None else urllib.parse.urlencode(fields).encode()
        address = urllib.parse.urljoin(self.origin, path)
        try:
            answer = self.opener.open(urllib.request.Request(address, data), timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return Page(answer.status, answer.geturl(), answer.headers, answer.read().decode())

    def send(self, page, action, number=0, **fields):
        """Fills in a form of a page, and sends it."""
        return self.request(action, page.form(action, number) | fields)

    def cookie(self):
        return next((cookie.value for cookie in self.jar if cookie.name == "session"), None)


def totp(key, step):
    secret = base64.b32decode(key.replace(" ", ""))
    digest = hmac.new(secret, struct.pack(">Q", step), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 10**6:06}"


class App:
    """An authenticator app, whose clock is four intervals late, and gains one with each code: each is a new one."""

    def __init__(self, key):
        self.key = key
        self.step = int(time.time()) // 30 - 4

    def code(self):
        self.step += 1
        return totp(self.key, self.step)


def end_with_parent():
    """A test that is killed leaves no server behind: Linux's PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@contextlib.contextmanager
def running(*arguments, folder=None):
    """The example: its address, and the messages that it sends."""
    with tempfile.TemporaryDirectory() as temporary:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = str(listener.getsockname()[1])
        process = subprocess.Popen(
            [os.environ["LOGIN_EXAMPLE"], "--port", port, "--data", folder or temporary, *arguments],
            stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent)
        try:
            found = None
            for line in process.stdout:
                found = re.match(r"Open (http://\S+)", line)
                if found:
                    break
            assert found, "the example does not start"
            messages = queue.Queue()
            threading.Thread(target=lambda: [messages.put(line) for line in process.stdout], daemon=True).start()
            yield found[1], messages
        finally:
            process.terminate()
            process.wait()
