"""What a person sees: lines on standard output, and the page at `/`."""
import html
import re
import time


def printed(server):
    """Codes and links are printed at once, also into a pipe."""
    _, user = server.user()
    start = server.v2("Enrollment:start", idToken=user["idToken"], phoneEnrollmentInfo={"phoneNumber": "+15555550130"})
    waits_for(server, f"To +15555550130: the code {server.sms(start['phoneSessionInfo']['sessionInfo'])}")
    email, user = server.user(verified=False)
    server.js("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    waits_for(server, f"To {email} (VERIFY_EMAIL): {server.oob(email, 'VERIFY_EMAIL')['oobLink']}")


def waits_for(server, text):
    for _ in range(100):
        if text + "\n" in server.said:
            return
        time.sleep(0.05)
    raise AssertionError(f"not printed: {text}\n{server.said}")


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
    text = content.decode()
    for expected in (email, user["localId"], "app (TOTP), “my <b>app</b>”", "+15555550132", server.sms(session),
                     "<script>alert(1)</script>", inside, tenant, "anonymous",
                     server.oob(email, "PASSWORD_RESET")["oobLink"]):
        assert expected in html.unescape(text), expected
    assert not re.search(r"<(script|b|img|link)\b|\bon\w+=", text), text
    # Programs still get JSON.
    assert server.json("GET", "/")["authEmulator"]["ready"] is True


def many_users(server):
    """The latest users are shown of many."""
    server.admin("/accounts:batchCreate", {"users": [{"localId": f"many-{index}"} for index in range(1000)]})
    text = server.send("GET", "/", headers={"Accept": "text/html"})[2].decode()
    assert "Users: the latest 100 of 10" in text and text.count("<tr>") < 400
