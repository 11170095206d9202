"""What a person sees: lines on standard output, and the page at `/`."""
import html
import html.parser
import time

from client import refused


def printed(server):
    """Codes and links are printed at once, also into a pipe."""
    _, user = server.user()
    start = server.v2("Enrollment:start", idToken=user["idToken"], phoneEnrollmentInfo={"phoneNumber": "+15555550130"})
    waits_for(server, f"To +15555550130: the code {server.sms(start['phoneSessionInfo']['sessionInfo'])}")
    first = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550131"})["sessionInfo"]
    waits_for(server, f"To +15555550131: the code {server.sms(first)}")
    email, user = server.user(verified=False)
    server.js("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    waits_for(server, f"To {email} (VERIFY_EMAIL): {server.oob(email, 'VERIFY_EMAIL')['oobLink']}")
    server.js("accounts:update", {"idToken": user["idToken"], "email": "other-" + email})
    waits_for(server, f"To {email} (RECOVER_EMAIL): {server.oob(email, 'RECOVER_EMAIL')['oobLink']}")


def waits_for(server, text):
    for _ in range(100):
        if text + "\n" in server.said:
            return
        time.sleep(0.05)
    raise AssertionError(f"not printed: {text}\n{server.said}")


class Page(html.parser.HTMLParser):
    """The texts of a page, and what it loads or runs."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.links, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href"]
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs), attrs

    def handle_data(self, data):
        self.texts.append(data)


def page(server):
    """Users, factors, codes and links, in one request and without a script; nothing that users type is markup."""
    email, user = server.user()
    server.enroll_totp(user["idToken"], "my <b>app</b>")
    _, other = server.user()
    server.enroll_phone(other["idToken"], "+15555550132")
    server.js("accounts:update", {"idToken": other["idToken"], "displayName": "<script>alert(1)</script>"})
    server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    session = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550133"})["sessionInfo"]
    tenant = server.tenant(allowPasswordSignup=True)
    inside, _ = server.user(tenant=tenant)
    server.js("accounts:signUp", {})
    status, headers, content = server.send("GET", "/", headers={"Accept": "text/html,*/*;q=0.8"})
    assert status == 200 and headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    shown = Page(content.decode())
    text = "\n".join(shown.texts)
    for expected in (email, user["localId"], "app (TOTP), “my <b>app</b>”", "+15555550132", server.sms(session),
                     "<script>alert(1)</script>", inside, tenant, "anonymous"):
        assert expected in text, expected
    assert server.oob(email, "PASSWORD_RESET")["oobLink"] in shown.links
    assert not {"script", "b", "img", "link"} & set(shown.tags), shown.tags
    # Programs still get JSON.
    assert server.json("GET", "/")["authEmulator"]["ready"] is True
    refused("Not Found", server.json, "GET", "/nothing", headers={"Accept": "text/html"})


def many_users(server):
    """The latest users are shown of many."""
    for number in range(3):
        server.admin("/accounts:batchCreate", {"users": [
            {"localId": f"many-{number}-{index}"} for index in range(1000)]})
    _, _, content = server.send("GET", "/", headers={"Accept": "text/html"})
    text = content.decode()
    assert "Users: the latest 100 of 30" in text and text.count("<tr>") < 400


ALL = [printed, page, many_users]
