"""Configuration, administrators' factors, tenants, the clock, the description, and many at once."""
import concurrent.futures

from client import OWNER, PASSWORD, PROJECT, TOOLKIT, claims, refused

ADMIN_CONFIG = f"{TOOLKIT}/admin/v2/projects/{PROJECT}/config"


def configuration(server):
    config = server.admin("/config", method="GET", version="v2")
    assert config["name"] == f"projects/{PROJECT}/config" and config["mfa"]["state"] == "ENABLED"
    # The documentation's curl, which says nothing of the state.
    seed = {"mfa": {"providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 0}}]}}
    config = server.json("PATCH", f"{ADMIN_CONFIG}?updateMask=mfa", seed, {
        "Authorization": "Bearer ya29.x", "X-Goog-User-Project": PROJECT})
    assert config["mfa"]["state"] == "ENABLED" and config["mfa"]["enabledProviders"] == ["PHONE_SMS"]
    # No interval beside the present one: a code of the step before is late.
    email, user = server.user()
    secret, answer = server.enroll_totp(user["idToken"])
    uid = claims(answer["idToken"])["firebase"]["second_factor_identifier"]
    server.own("clock", "POST", {"stopped": True, "advanceSeconds": 60})
    pending = server.sign_in(email)["mfaPendingCredential"]
    refused("INVALID_CODE", server.prove_totp, pending, uid, server.totp(secret, -1))
    config = server.json("PATCH", f"{ADMIN_CONFIG}?updateMask=mfa.state,mfa.enabledProviders,mfa.providerConfigs", {
        "mfa": {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 1}}]}}, OWNER)
    assert server.prove_totp(pending, uid, server.totp(secret, -1))["idToken"]
    server.own("clock", "POST", {"stopped": False})
    bad = {"mfa": {"providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 11}}]}}
    refused("INVALID_CONFIG", server.json, "PATCH", f"{ADMIN_CONFIG}?updateMask=mfa", bad, OWNER)
    test = {"signIn": {"phoneNumber": {"testPhoneNumbers": {"+15555550170": "123456"}}}}
    server.json("PATCH", f"{ADMIN_CONFIG}?updateMask=signIn.phoneNumber.testPhoneNumbers", test, OWNER)
    session = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550170"})["sessionInfo"]
    assert server.js("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": "123456"})["isNewUser"]
    server.own("config", "PATCH", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})
    refused("INVALID_LOGIN_CREDENTIALS", server.sign_in, "nobody@example.com")
    server.own("config", "PATCH", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}})
    refused("EMAIL_NOT_FOUND", server.sign_in, "nobody@example.com")


def administrators_factors(server):
    email, user = server.user()
    local = user["localId"]

    def factors(enrollments):
        server.admin("/accounts:update", {"localId": local, "mfa": {"enrollments": enrollments}})
        return server.admin("/accounts:lookup", {"localId": [local]})["users"][0]["mfaInfo"]
    first, = factors([{"phoneInfo": "+15555550180", "displayName": "one"}])
    both = factors([first | {"totpInfo": None}, {"mfaEnrollmentId": "two", "phoneInfo": "+15555550181"}])
    assert [entry["mfaEnrollmentId"] for entry in both] == [first["mfaEnrollmentId"], "two"]
    assert len(server.sign_in(email)["mfaInfo"]) == 2
    error = refused("INVALID_MFA_PHONE_NUMBER", factors, [{"phoneInfo": "1"}])
    assert error.status == 400
    refused("DUPLICATE_MFA_ENROLLMENT_ID", factors, [
        {"phoneInfo": "+15555550182", "mfaEnrollmentId": "a"}, {"phoneInfo": "+15555550183", "mfaEnrollmentId": "a"}])
    refused("INVALID_MFA_ENROLLMENT_ID", factors, [{"phoneInfo": "+15555550182", "mfaEnrollmentId": "a b"}])
    server.admin("/accounts:update", {"localId": local, "mfa": {}})
    assert server.sign_in(email)["idToken"]
    answer = server.admin("/accounts:batchCreate", {"users": [
        {"localId": "imported", "email": "i@example.com", "mfaInfo": [{"phoneInfo": "+15555550184"}]}]})
    assert answer["error"][0]["message"] == "Second factor account requires email to be verified."


def android(server):
    """Snake case, enumerations as integers."""
    email, user = server.user()
    answer = server.js("accounts:signInWithPassword", {
        "email": email, "password": PASSWORD, "return_secure_token": True, "client_type": 2})
    start = server.js("accounts/mfaEnrollment:start", {"id_token": answer["idToken"], "totp_enrollment_info": {}}, "v2")
    assert start["totpSessionInfo"]["sharedSecretKey"]


def anonymous_and_links(server):
    anonymous = server.js("accounts:signUp", {"returnSecureToken": True})
    assert claims(anonymous["idToken"])["provider_id"] == "anonymous"
    email = server.new_email()
    linked = server.js("accounts:signUp", {"idToken": anonymous["idToken"], "email": email, "password": PASSWORD})
    assert linked["localId"] == anonymous["localId"]
    assert claims(linked["idToken"])["firebase"]["sign_in_provider"] == "password"
    refused("WEAK_PASSWORD", server.js, "accounts:signUp", {"email": server.new_email(), "password": "short"})
    refused("EMAIL_EXISTS", server.js, "accounts:signUp", {"email": email.upper(), "password": PASSWORD})
    changed = server.js("accounts:update", {"idToken": linked["idToken"], "password": "another1"})
    assert changed["idToken"]
    server.js("accounts:sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": changed["idToken"], "newEmail": "new-" + email})
    code = server.oob(email, "VERIFY_AND_CHANGE_EMAIL")
    assert code["newEmail"] == "new-" + email
    server.js("accounts:update", {"oobCode": code["oobCode"]})
    assert server.js("accounts:createAuthUri", {
        "identifier": "new-" + email, "continueUri": "http://localhost"})["registered"] is True


def all_at_once(server):
    """200 sign-ins at once, by 20 users: of one code, only one is accepted."""
    users = []
    for _ in range(20):
        email, user = server.user()
        secret, answer = server.enroll_totp(user["idToken"])
        users.append((email, secret, claims(answer["idToken"])["firebase"]["second_factor_identifier"]))
    server.advance(60)
    server.own("clock", "POST", {"stopped": True})

    def sign_in(number):
        email, secret, uid = users[number % 20]
        pending = server.sign_in(email)["mfaPendingCredential"]
        try:
            return bool(server.prove_totp(pending, uid, server.totp(secret))["idToken"])
        except Exception as error:
            assert error.code in ("INVALID_CODE", "TOO_MANY_ATTEMPTS_TRY_LATER"), error
            return False
    with concurrent.futures.ThreadPoolExecutor(200) as pool:
        accepted = sum(pool.map(sign_in, range(200)))
    assert accepted == 20, accepted
    server.own("clock", "POST", {"stopped": False})


def description(server):
    document = server.json("GET", "/emulator/openapi.json")
    assert server.json("GET", "/")["authEmulator"]["ready"] is True
    assert len(document["paths"]) > 60 and f"{TOOLKIT}/v2/accounts/mfaSignIn:finalize" in document["paths"]
    names = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert len(names) == len(set(names))


ALL = [configuration, administrators_factors, android, anonymous_and_links, all_at_once, description]
