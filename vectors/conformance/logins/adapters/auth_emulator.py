#!/usr/bin/env python3
"""Servers' auth-emulator, by Identity Toolkit's REST API, as Firebase's SDKs use it.

    auth_emulator.py PROGRAM
"""

import sys

from adapter import Cannot, WebLogin, ours, serve

API = "/identitytoolkit.googleapis.com"
PROJECT = "projects/demo-project"


class AuthEmulator(WebLogin):
    """A session is the answer to the password, and later to the code."""

    processes_wanted = 1
    about = ours("auth-emulator") | {"features": ["json"], "configured": "TOTP enabled; otherwise its defaults"}

    def command(self, port):
        return [sys.argv[1], "--port", str(port)]

    def start(self):
        super().restart()
        self.ask(f"admin/v2/{PROJECT}/config?updateMask=mfa", method="PATCH", mfa={
            "providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {}}]})

    def restart(self):
        raise Cannot("it starts empty")

    kill = restart

    def ask(self, path, method="POST", client=None, **body):
        browser = self.browser(client=client)
        if PROJECT in path:
            browser.headers["Authorization"] = "Bearer owner"
        return browser.post_json(f"{API}/{path}{'' if '?' in path else '?key=any'}", body, method)

    def user(self, user, password):
        said = self.ask("v1/accounts:signUp", email=f"{user}@example.com", password=password, returnSecureToken=True)
        self.owners[user] = said.json()
        self.ask(f"v1/{PROJECT}/accounts:update", localId=self.owners[user]["localId"], emailVerified=True)

    def enroll(self, user):
        said = self.ask("v2/accounts/mfaEnrollment:start", idToken=self.owners[user]["idToken"], totpEnrollmentInfo={})
        self.owners[user] |= said.json()["totpSessionInfo"]
        return {"secret": self.owners[user]["sharedSecretKey"]}

    def confirm(self, user, code):
        owner = self.owners[user]
        page = self.ask("v2/accounts/mfaEnrollment:finalize", idToken=owner["idToken"], totpVerificationInfo={
            "sessionInfo": owner["sessionInfo"], "verificationCode": code})
        return page.seen(page.status == 200)

    def begin(self, user, session, password, server=0, client=None):
        page = self.ask("v1/accounts:signInWithPassword", email=f"{user}@example.com", password=password,
                        returnSecureToken=True, client=client)
        self.sessions[session] = page.json() | {"client": client}
        return page.seen(False) | {"signed_in": "idToken" in self.sessions[session]}

    def submit(self, session, code, route):
        said = self.sessions[session]
        page = self.ask("v2/accounts/mfaSignIn:finalize", mfaPendingCredential=said["mfaPendingCredential"],
                        mfaEnrollmentId=said["mfaInfo"][0]["mfaEnrollmentId"],
                        totpVerificationInfo={"verificationCode": code}, client=said["client"])
        if page.status == 200:
            said |= page.json()
        return page.seen(page.status == 200)

    def pages(self, session):
        return {"pages": [self.ask("v1/accounts:lookup", idToken=self.sessions[session]["idToken"]).seen(True)]}

    def token(self, session):
        """What a client without an ID token could try instead."""
        return self.sessions[session].get("idToken") or self.sessions[session]["mfaPendingCredential"]

    def replace(self, session):
        page = self.ask("v2/accounts/mfaEnrollment:start", idToken=self.token(session), totpEnrollmentInfo={})
        return {"refused": page.status != 200}

    def remove(self, session, code=""):
        self.ask("v2/accounts/mfaEnrollment:withdraw", idToken=self.token(session),
                 mfaEnrollmentId=self.sessions[session]["mfaInfo"][0]["mfaEnrollmentId"])

    def reset(self, user, password):
        self.ask("v1/accounts:sendOobCode", requestType="PASSWORD_RESET", email=f"{user}@example.com")
        codes = self.browser().get(f"/emulator/v1/{PROJECT}/oobCodes").json()["oobCodes"]
        code = next(code["oobCode"] for code in reversed(codes) if code["email"] == f"{user}@example.com")
        self.ask("v1/accounts:resetPassword", oobCode=code, newPassword=password)


if __name__ == "__main__":
    serve(AuthEmulator())
