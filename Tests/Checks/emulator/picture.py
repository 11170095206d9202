"""The screenshot of the page at `/` in Servers/gallery, made again by `run.sh --record`. Arguments: the file."""
import subprocess
import sys

from client import PASSWORD, running


def main(file):
    with running() as server:
        def user(email, name):
            created = server.js("accounts:signUp", {"email": email, "password": PASSWORD, "displayName": name})
            server.update(created["localId"], emailVerified=True)
            return created["idToken"]
        server.js("accounts:signUp", {})
        server.enroll_totp(user("ada@example.com", "Ada"), "Work phone")
        server.enroll_phone(user("grace@example.com", "Grace"), "+15555550100", "Private")
        pending = server.sign_in("grace@example.com")
        server.v2("SignIn:start", mfaPendingCredential=pending["mfaPendingCredential"], phoneSignInInfo={},
                  mfaEnrollmentId=pending["mfaInfo"][0]["mfaEnrollmentId"])
        server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550142"})
        server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": "ada@example.com"})
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,810",
             f"--screenshot={file}", f"http://127.0.0.1:{server.port}/"], check=True, capture_output=True)


if __name__ == "__main__":
    main(sys.argv[1])
