"""A small browser for adapters over HTTP: cookies, forms with their hidden fields, redirects; only to loopback."""

from __future__ import annotations

import html.parser
import http.client
import http.cookies
import itertools
import json
import socket
import urllib.parse

ADDRESSES = itertools.count(2)


class Form(html.parser.HTMLParser):
    """The fields of a page's forms, with their values."""

    def __init__(self, text):
        super().__init__()
        self.fields = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        at = dict(attrs)
        if tag == "input" and at.get("name") and at.get("type") not in ("submit", "radio", "checkbox"):
            self.fields.setdefault(at["name"], at.get("value") or "")


class Page:
    """An answer."""

    def __init__(self, status, url, headers, text):
        self.status, self.url, self.headers, self.text = status, url, headers, text
        self.path = urllib.parse.urlparse(url).path

    def json(self):
        """The answer as JSON."""
        return json.loads(self.text)

    def hidden(self):
        """The fields of its forms."""
        return Form(self.text).fields

    def seen(self, accepted):
        """What the adapter answers."""
        return {"accepted": accepted, "status": self.status, "body": self.text[:200_000], "url": self.url,
                "no_answer": self.status == 0}


class Browser:
    """One client, with an address of its own in 127.0.0.0/8, so that a limit by address does not hide another."""

    page_type = Page

    def __init__(self, port):
        number = next(ADDRESSES)
        self.port, self.cookies, self.headers = port, {}, {}
        self.address = f"127.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"

    def get(self, path):
        """A page, after redirects."""
        return self.send("GET", path)

    def post(self, path, fields):
        """Sends a form."""
        body = urllib.parse.urlencode(fields, errors="surrogatepass").encode()
        return self.send("POST", path, body, "application/x-www-form-urlencoded")

    def post_json(self, path, value, method="POST"):
        """Sends JSON."""
        return self.send(method, path, json.dumps(value).encode(), "application/json")

    def fill(self, path, **fields):
        """Reads a page's form, fills it in and sends it."""
        page = self.get(path)
        return self.post(page.url, page.hidden() | fields)

    def cookie(self, name):
        """The value of a cookie; empty if there is none."""
        return self.cookies[name].value if name in self.cookies else ""

    def send(self, method, path, body=None, kind=None):
        """A request, and those to which it redirects."""
        for _ in range(10):
            path = urllib.parse.urlunparse(("", "") + urllib.parse.urlparse(path)[2:]) or "/"
            status, headers, text = self._request(method, path, body, kind)
            if status not in (301, 302, 303, 307):
                break
            method, body, kind = "GET", None, None
            path = urllib.parse.urljoin(path, headers["Location"])
        return self.page_type(status, path, headers, text)

    def _request(self, method, path, body, kind):
        headers = {"Host": f"127.0.0.1:{self.port}", "Accept": "text/html,application/json",
                   "Referer": f"http://127.0.0.1:{self.port}{path[:200]}"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={cookie.value}" for name, cookie in self.cookies.items())
        if kind:
            headers["Content-Type"] = kind
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120, source_address=(self.address, 0))
        try:
            connection.connect()
            for option in (socket.TCP_NODELAY, socket.TCP_QUICKACK):  # else some servers' answers wait 40 ms
                connection.sock.setsockopt(socket.IPPROTO_TCP, option, 1)
            connection.request(method, path, body, headers | self.headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (ConnectionError, http.client.HTTPException):
            # The server has closed the connection: of a body that is too large, for instance.
            return 0, {}, ""
        finally:
            connection.close()
        for value in answer.headers.get_all("Set-Cookie") or []:
            self.cookies |= http.cookies.SimpleCookie(value)
        return answer.status, answer.headers, text
