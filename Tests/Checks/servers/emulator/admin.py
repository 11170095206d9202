"""The Admin SDK for Python, unmodified."""
import os

import firebase_admin
from firebase_admin import auth

from client import PASSWORD, PROJECT, refused


def raises(error, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except error:
        return
    raise AssertionError(f"no {error.__name__}")


def users(server):
    os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = f"127.0.0.1:{server.port}"
    firebase_admin.initialize_app(options={"projectId": PROJECT})
    user = auth.create_user(email="admin@example.com", password=PASSWORD, display_name="A", phone_number="+15555550160")
    assert auth.get_user_by_email("ADMIN@example.com").uid == user.uid
    user = auth.update_user(user.uid, email_verified=True, photo_url="https://a.example/b.png",
                            phone_number=auth.DELETE_ATTRIBUTE, display_name=auth.DELETE_ATTRIBUTE)
    assert user.email_verified and user.phone_number is None and user.display_name is None
    auth.set_custom_user_claims(user.uid, {"admin": True})
    token = server.sign_in("admin@example.com")["idToken"]
    assert auth.verify_id_token(token, check_revoked=True)["admin"] is True
    server.advance(2)
    auth.update_user(user.uid, disabled=True)
    raises(auth.UserDisabledError, auth.verify_id_token, token, check_revoked=True)
    auth.update_user(user.uid, disabled=False)
    raises(auth.EmailAlreadyExistsError, auth.create_user, email="admin@example.com")
    raises(auth.UidAlreadyExistsError, auth.create_user, uid=user.uid)
    server.clock(reset=True)
    token = server.sign_in("admin@example.com")["idToken"]
    auth.update_user(user.uid, valid_since=int(server.now()) + 5)
    raises(auth.RevokedIdTokenError, auth.verify_id_token, token, check_revoked=True)
    auth.delete_user(user.uid)
    raises(auth.UserNotFoundError, auth.get_user, user.uid)


def links(server):
    email, user = server.user(verified=False)
    assert server.follow(auth.generate_email_verification_link(email))[0] == 200
    assert auth.get_user(user["localId"]).email_verified
    assert server.follow(auth.generate_password_reset_link(email) + "&newPassword=another1")[0] == 200
    refused("INVALID_PASSWORD", server.sign_in, email)
    settings = auth.ActionCodeSettings("https://a.example/x?y=1", handle_code_in_app=True)
    status, headers, _ = server.follow(auth.generate_sign_in_with_email_link("link@example.com", settings))
    assert status == 303 and headers["Location"].startswith("https://a.example/x?y=1&")
    body = {"email": "link@example.com", "oobCode": server.oob("link@example.com", "EMAIL_SIGNIN")["oobCode"]}
    signed = server.js("accounts:signInWithEmailLink", body)
    assert signed["isNewUser"] and auth.verify_id_token(signed["idToken"])["firebase"]["sign_in_provider"] == "password"
    refused("INVALID_OOB_CODE", server.js, "accounts:signInWithEmailLink", body)


def custom_tokens_and_cookies(server):
    token = auth.create_custom_token("custom-uid", {"level": 3}).decode()
    signed = server.js("accounts:signInWithCustomToken", {"token": token, "returnSecureToken": True})
    read = auth.verify_id_token(signed["idToken"])
    assert read["uid"] == "custom-uid" and read["level"] == 3
    cookie = auth.create_session_cookie(signed["idToken"], expires_in=3600)
    assert auth.verify_session_cookie(cookie, check_revoked=True)["uid"] == "custom-uid"


def lists_and_imports(server):
    server.own("accounts", "DELETE")
    result = auth.import_users([
        auth.ImportUserRecord(uid=f"u{i:04}", email=f"u{i}@example.com", email_verified=True, custom_claims={"n": i})
        for i in range(500)])
    assert result.success_count == 500 and auth.get_user("u0007").custom_claims == {"n": 7}, result.errors[:1]
    page = auth.list_users(max_results=300)
    assert len(page.users) == 300 and page.has_next_page and len(list(page.iterate_all())) == 500
    assert auth.delete_users([f"u{i:04}" for i in range(400)]).success_count == 400
    assert len(list(auth.list_users().iterate_all())) == 100
