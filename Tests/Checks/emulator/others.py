"""Configuration, administrators' factors, tenants, the clock, and many requests at once."""
import concurrent.futures
import time

from client import OWNER, PASSWORD, PROJECT, TOOLKIT, claims, refused, status_of

ADMIN_CONFIG = f"{TOOLKIT}/admin/v2/projects/{PROJECT}/config"


def configuration(server):
    config = server.admin("/config", method="GET", version="v2")
    assert config["name"] == f"projects/{PROJECT}/config" and config["mfa"]["state"] == "ENABLED"
    # The documentation's curl command, which leaves the state out.
    seed = {"mfa": {"providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 0}}]}}
    config = server.json("PATCH", f"{ADMIN_CONFIG}?updateMask=mfa", seed, {
        "Authorization": "Bearer ya29.x", "X-Goog-User-Project": PROJECT})
    assert config["mfa"]["state"] == "ENABLED" and config["mfa"]["enabledProviders"] == ["PHONE_SMS"]
    # No adjacent intervals: the code of the step before is too late.
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
    test["signIn"]["phoneNumber"]["testPhoneNumbers"] = {"+15555550175": "111111"}
    config = server.json("PATCH", f"{ADMIN_CONFIG}?updateMask=signIn.phoneNumber.testPhoneNumbers", test, OWNER)
    assert config["signIn"]["phoneNumber"] == test["signIn"]["phoneNumber"]
    assert config["signIn"]["allowDuplicateEmails"] is False
    # Fields that the emulator does not use are kept, as Admin SDKs send them; unknown ones are refused.
    sent = {"smsRegionConfig": {"allowByDefault": {}}, "recaptchaConfig": {"useAccountDefender": False}}
    server.json("PATCH", f"{ADMIN_CONFIG}?updateMask={','.join(sent)}", sent, OWNER)
    config = server.admin("/config", method="GET", version="v2")
    assert sent.items() <= config.items() and config["mfa"]["state"] == "ENABLED"
    assert status_of(server.json, "PATCH", f"{ADMIN_CONFIG}?updateMask=unknown", {}, OWNER) == 400
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
    # A number counts once, and a factor without a name gets one.
    first, = factors([{"phoneInfo": "+15555550180", "displayName": name} for name in ("one", "again")])
    assert first["displayName"] == "one" and first["mfaEnrollmentId"]
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
    """Snake case, and enumerations as integers."""
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
    """200 sign-ins at once, by 20 users: each code is accepted once."""
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


def passwords(server):
    """A forgotten password: the code is checked, used, and then used up."""
    email, user = server.user(verified=False)
    server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    code = server.oob(email, "PASSWORD_RESET")["oobCode"]
    seen = server.js("accounts:resetPassword", {"oobCode": code})
    assert seen["email"] == email and seen["requestType"] == "PASSWORD_RESET"
    refused("WEAK_PASSWORD", server.ios, "resetPassword", {"oobCode": code, "newPassword": "short"})
    server.advance(2)
    server.ios("resetPassword", {"oobCode": code, "newPassword": "another1"})
    refused("INVALID_OOB_CODE", server.js, "accounts:resetPassword", {"oobCode": code, "newPassword": "another2"})
    refused("INVALID_PASSWORD", server.sign_in, email)
    refused("TOKEN_EXPIRED", server.js, "accounts:lookup", {"idToken": user["idToken"]})
    assert server.js("accounts:signInWithPassword", {"email": email, "password": "another1"})["registered"]
    server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    server.advance(3601)
    refused("EXPIRED_OOB_CODE", server.js, "accounts:resetPassword", {
        "oobCode": server.oob(email, "PASSWORD_RESET")["oobCode"]})
    # A change of the address can be reverted, by a link sent to the old one.
    changed = server.js("accounts:update", {
        "idToken": server.js("accounts:signInWithPassword", {"email": email, "password": "another1"})["idToken"],
        "email": "moved-" + email})
    assert changed["email"] == "moved-" + email and changed["idToken"]
    link = server.oob(email, "RECOVER_EMAIL")["oobLink"]
    assert server.send("GET", link.split(str(server.port), 1)[1])[0] == 200
    assert server.js("accounts:signInWithPassword", {"email": email, "password": "another1"})["email"] == email


def questions(server):
    """Clients' queries about a project, and administrators' about its users."""
    assert server.json("GET", f"{TOOLKIT}/v1/projects?key=k")["authorizedDomains"]
    assert server.json("GET", f"{TOOLKIT}/v1/recaptchaParams?key=k")["recaptchaSiteKey"]
    email, _ = server.user()
    found = server.admin("/accounts:query", {})
    assert email in [user.get("email") for user in found["userInfo"]]
    assert server.admin("/accounts:query", {"returnUserInfo": False}) == {"recordsCount": found["recordsCount"]}
    everybody = server.admin("/accounts:batchGet?maxResults=-1", method="GET")
    assert str(len(everybody["users"])) == found["recordsCount"]
    for method, path in (("POST", "accounts:revokeToken"), ("GET", "passwordPolicy"), ("GET", "recaptchaConfig")):
        assert status_of(server.json, method, f"{TOOLKIT}/v2/{path}?key=k") == 501
    assert status_of(server.json, "GET", f"{TOOLKIT}/v1/publicKeys?key=k") == 501


def tenants_own(server):
    """A tenant has its own users, codes and settings."""
    tenant = server.admin("/tenants", {"allowPasswordSignup": True, "enableEmailLinkSignin": True}, version="v2")
    part = f"tenants/{tenant['tenantId']}/"
    email, user = server.user(tenant=tenant["tenantId"])
    server.js("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    code, = server.own(part + "oobCodes")["oobCodes"]
    assert code["email"] == email
    assert server.send("GET", code["oobLink"].split(str(server.port), 1)[1])[0] == 200
    server.own(part + "config", "PATCH", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})
    assert server.own(part + "config")["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": True}
    refused("INVALID_LOGIN_CREDENTIALS", server.sign_in, "nobody@example.com", tenantId=tenant["tenantId"])
    # Second factors are a setting of the tenant, off by default.
    refused("OPERATION_NOT_ALLOWED", server.enroll_totp, user["idToken"])
    server.admin(f"/tenants/{tenant['tenantId']}?updateMask=mfaConfig", {"mfaConfig": {
        "state": "ENABLED", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {}}]}}, "PATCH", "v2")
    _, answer = server.enroll_totp(user["idToken"])
    assert claims(answer["idToken"])["firebase"]["tenant"] == tenant["tenantId"]
    start = server.js("accounts/mfaEnrollment:start", {
        "idToken": answer["idToken"], "phoneEnrollmentInfo": {"phoneNumber": "+15555550173"}}, "v2")
    message, = server.own(part + "verificationCodes")["verificationCodes"]
    assert message["sessionInfo"] == start["phoneSessionInfo"]["sessionInfo"]
    server.admin(f"/tenants/{tenant['tenantId']}?updateMask=testPhoneNumbers",
                 {"testPhoneNumbers": {"+15555550174": "654321"}}, "PATCH", "v2")
    start = server.js("accounts/mfaEnrollment:start", {
        "idToken": answer["idToken"], "phoneEnrollmentInfo": {"phoneNumber": "+15555550174"}}, "v2")
    answer = server.js("accounts/mfaEnrollment:finalize", {"idToken": answer["idToken"], "phoneVerificationInfo": {
        "sessionInfo": start["phoneSessionInfo"]["sessionInfo"], "code": "654321"}}, "v2")
    assert server.sign_in(email, tenantId=tenant["tenantId"])["mfaPendingCredential"]
    server.own(part + "accounts", "DELETE")
    refused("USER_NOT_FOUND", server.js, "accounts:lookup", {"idToken": answer["idToken"]})


def tenants_second_factors(server):
    """Each kind of factor is off unless the tenant has it; TOTP has a state of its own."""
    def start(user, **info):
        return server.js("accounts/mfaEnrollment:start", {"idToken": user["idToken"], **info}, "v2")
    phone, app = {"phoneEnrollmentInfo": {"phoneNumber": "+15555550176"}}, {"totpEnrollmentInfo": {}}
    messages, apps = {"enabledProviders": ["PHONE_SMS"]}, {"providerConfigs": [
        {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 1}}]}
    tenant = server.admin("/tenants", {"allowPasswordSignup": True, "mfaConfig": {"state": "ENABLED", **messages}},
                          version="v2")
    path = f"/tenants/{tenant['tenantId']}"
    email, user = server.user(tenant=tenant["tenantId"])
    for change in (None, "", "?updateMask=mfaConfig"):
        if change is not None:
            body = {"allowPasswordSignup": True, "mfaConfig": {"state": "ENABLED", **messages}}
            server.admin(path + change, body, "PATCH", "v2")
        refused("OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.", start, user, **app)
        assert start(user, **phone)["phoneSessionInfo"]
    server.admin(f"{path}/accounts:update", {"localId": user["localId"], "mfa": {"enrollments": [
        {"phoneInfo": "+15555550176"}]}})
    changed = server.admin(f"{path}?updateMask=mfaConfig", {"mfaConfig": apps}, "PATCH", "v2")
    assert changed["mfaConfig"] == {"state": "DISABLED", "enabledProviders": [], **apps}
    refused("OPERATION_NOT_ALLOWED : SMS based MFA not enabled.", start, user, **phone)
    signed = server.sign_in(email, tenantId=tenant["tenantId"])
    assert "sign_in_second_factor" not in claims(signed["idToken"])["firebase"]
    server.admin(f"{path}/accounts:update", {"localId": user["localId"], "mfa": {}})
    _, answer = server.enroll_totp(server.sign_in(email, tenantId=tenant["tenantId"])["idToken"])
    assert answer["idToken"] and server.sign_in(email, tenantId=tenant["tenantId"])["mfaPendingCredential"]


def clock(server):
    """The emulator's clock, which is our extension: it is advanced, frozen, set, and reset to the machine's."""
    before = server.now()
    server.advance(1000)
    assert 1000 <= server.now() - before < 1100
    assert server.own("clock", "POST", {"now": "2030-01-02T03:04:05Z", "stopped": True}) == {
        "now": "2030-01-02T03:04:05.000Z", "stopped": True}
    assert server.now() == server.now()
    created = server.js("accounts:signUp", {})
    assert claims(created["idToken"])["iat"] == int(server.now())
    assert server.own("clock", "POST", {"now": "1000000000.5"})["now"] == "2001-09-09T01:46:40.500Z"
    for body in ({"now": "yesterday"}, {"now": "-1"}, {"advanceSeconds": 1 << 62}, {"advanceSeconds": -(1 << 62)},
                 {"now": "nan"}, {"now": "inf"}):
        assert status_of(server.own, "clock", "POST", body) == 400
    assert server.own("clock", "POST", {"reset": True})["stopped"] is False
    assert abs(server.now() - time.time()) < 60


def proofs(server):
    """A number that belongs to another user: the response has a proof, with which the client signs in as that user."""
    def verify(number, **more):
        session = server.js("accounts:sendVerificationCode", {"phoneNumber": number})["sessionInfo"]
        return server.js("accounts:signInWithPhoneNumber", {
            "sessionInfo": session, "code": server.sms(session), **more})
    first = verify("+15555550171")
    assert first["isNewUser"] and claims(first["idToken"])["firebase"]["sign_in_provider"] == "phone"
    email, user = server.user()
    answer = verify("+15555550171", idToken=user["idToken"])
    assert "idToken" not in answer
    body = {"phoneNumber": answer["phoneNumber"], "temporaryProof": answer["temporaryProof"]}
    assert server.js("accounts:signInWithPhoneNumber", body)["localId"] == first["localId"]
    refused("INVALID_TEMPORARY_PROOF", server.js, "accounts:signInWithPhoneNumber", body)
    linked = verify("+15555550172", idToken=user["idToken"])
    assert linked["localId"] == user["localId"] and not linked["isNewUser"]
    server.js("accounts:update", {"idToken": linked["idToken"], "deleteProvider": ["phone"]})
    refused("USER_NOT_FOUND", verify, "+15555550172", operation="REAUTH")


ALL = [configuration, administrators_factors, android, anonymous_and_links, all_at_once, passwords, questions,
       tenants_own, tenants_second_factors, clock, proofs]
