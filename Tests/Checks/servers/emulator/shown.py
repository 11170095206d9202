"""What a person sees: lines on standard output, and the page at `/`. With OTP_GALLERY, a folder, only the page's
screenshot is written.
"""
import html
import os
import re
import subprocess
import time

from client import PASSWORD

GALLERY = os.environ.get("OTP_GALLERY")


def printed(server):
    """Codes and links are printed at once, also into a pipe."""
    _, user = server.user()
    start = server.v2("Enrollment:start", idToken=user["idToken"], phoneEnrollmentInfo={"phoneNumber": "+15555550130"})
    email, user = server.user(verified=False)
    server.js("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    for text in (f"To +15555550130: the code {server.sms(start['phoneSessionInfo']['sessionInfo'])}\n",
                 f"To {email} (VERIFY_EMAIL): {server.oob(email, 'VERIFY_EMAIL')['oobLink']}\n"):
        assert any(text in server.said or time.sleep(0.05) for _ in range(100)), (text, server.said)


def page(server):
    """Users, factors, codes and links, in one request and without a script; nothing that users type is markup."""
    server.js("accounts:signUp", {})

    def user(name):
        body = {"email": f"{name.lower()}@example.com", "password": PASSWORD, "displayName": name}
        created = server.js("accounts:signUp", body)
        server.update(created["localId"], emailVerified=True)
        return created
    ada, grace = user("Ada"), user("Grace")
    server.enroll_totp(ada["idToken"], "Work phone" if GALLERY else "my <b>app</b>")
    server.enroll_phone(grace["idToken"], "+15555550132", "Private")
    session = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550133"})["sessionInfo"]
    server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": ada["email"]})
    if GALLERY:
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,810",
             f"--screenshot={GALLERY}/emulator.png", f"http://127.0.0.1:{server.port}/"], check=True)
        return
    server.update(grace["localId"], displayName="<script>alert(1)</script>")
    tenant = server.tenant(allowPasswordSignup=True)
    inside, _ = server.user(tenant=tenant)
    server.admin("/accounts:batchCreate", {"users": [{"localId": f"a-{n}", "createdAt": "1"} for n in range(1000)]})
    status, headers, content = server.send("GET", "/", headers={"Accept": "text/html,*/*;q=0.8"})
    assert status == 200 and headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    text = content.decode()
    for expected in (ada["email"], ada["localId"], "app (TOTP), “my <b>app</b>”", "+15555550132", server.sms(session),
                     "<script>alert(1)</script>", inside, tenant, "anonymous",
                     server.oob(ada["email"], "PASSWORD_RESET")["oobLink"]):
        assert expected in html.unescape(text), expected
    assert not re.search(r"<(script|b|img|link)\b|\bon\w+=", text), text
    # Of many users, the latest.
    assert "Users: the latest 100 of 10" in text and text.count("<tr>") < 400
    assert server.json("GET", "/")["authEmulator"]["ready"] is True


ALL = (page,) if GALLERY else (printed, page)
