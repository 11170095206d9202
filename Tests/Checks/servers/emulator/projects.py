"""Projects and tenants: their configuration, their clock, and questions about them, as Google's emulator answers."""
import time

from client import OWNER, PROJECT, TOOLKIT, claims, factor, key, parse_time, refused

CONFIG = f"{TOOLKIT}/admin/v2/projects/{PROJECT}/config"


def configuration(server):
    def patch(mask, body, headers=OWNER):
        return server.json("PATCH", f"{CONFIG}?updateMask={mask}", body, headers)

    def intervals(count, **more):
        return {"mfa": {"providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": count}}], **more}}
    # The documentation's curl command, which leaves the state out.
    config = patch("mfa", intervals(0), {"Authorization": "Bearer ya29.x", "X-Goog-User-Project": PROJECT})
    assert config["mfa"]["state"] == "ENABLED" and config["mfa"]["enabledProviders"] == ["PHONE_SMS"]
    # No adjacent intervals: the code of the step before is too late.
    email, secret, uid, _ = server.member()
    server.clock(stopped=True, advanceSeconds=60)
    pending = server.pending(email)
    refused("INVALID_CODE", server.prove_totp, pending, uid, server.totp(secret, -1))
    refused("INVALID_CONFIG", patch, "mfa", intervals(11))
    # Without any provider, a sign-in waits for all factors.
    patch("mfa.enabledProviders,mfa.providerConfigs", {"mfa": {"enabledProviders": [], "providerConfigs": []}})
    assert [hint["mfaEnrollmentId"] for hint in server.sign_in(email)["mfaInfo"]] == [uid]
    patch("mfa.state,mfa.enabledProviders,mfa.providerConfigs",
          intervals(1, state="ENABLED", enabledProviders=["PHONE_SMS"]))
    assert server.prove_totp(pending, uid, server.totp(secret, -1))["idToken"]
    server.clock(stopped=False)
    patch("signIn.phoneNumber.testPhoneNumbers", {"signIn": {
        "phoneNumber": {"testPhoneNumbers": {"+15555550170": "123456"}}}})
    session = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550170"})["sessionInfo"]
    assert server.js("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": "123456"})["isNewUser"]
    # Fields that the emulator does not use are kept, as Admin SDKs send them; unknown ones are refused.
    sent = {"smsRegionConfig": {"allowByDefault": {}}}
    patch("smsRegionConfig", sent)
    assert sent.items() <= server.admin("/config", method="GET", version="v2").items()
    refused(400, patch, "unknown", {})


def questions(server):
    """Clients' queries about a project, and administrators' about its users; a condition that is not evaluated is not
    ignored."""
    assert server.json("GET", f"{TOOLKIT}/v1/projects?key=k")["authorizedDomains"]
    assert server.json("GET", f"{TOOLKIT}/v1/recaptchaParams?key=k")["recaptchaSiteKey"]
    for _ in range(2):
        email, _ = server.user()
    asked = {"identifier": email.upper(), "continueUri": "http://localhost"}
    assert server.js("accounts:createAuthUri", asked)["signinMethods"] == ["password"]
    refused("INVALID_CONTINUE_URI", server.js, "accounts:createAuthUri", asked | {"continueUri": "invalid"})
    names = [user["localId"] for user in server.admin("/accounts:query", {"order": "DESC"})["userInfo"]]
    assert len(names) >= 2 and names == sorted(names, reverse=True)
    for body in ({"expression": [{"email": "a@example.com"}]}, {"limit": "1"}, {"offset": "1"},
                 {"sortBy": "CREATED_AT"}):
        refused(501, server.admin, "/accounts:query", body)
    # What SDKs ask and do not need.
    refused(501, server.js, "accounts/passkeySignIn:start", {}, "v2")
    refused(501, server.ios, "signInWithGameCenter", {})
    refused(501, server.json, "GET", f"{TOOLKIT}/v2/recaptchaConfig?key=k")
    refused(501, server.js, "accounts:update", {"idToken": server.user()[1]["idToken"], "deletePasskey": ["x"]})


def tenants(server):
    """A tenant has its own users, codes and settings; a disabled one refuses every request, also of administrators."""
    tenant = server.tenant(displayName="one", allowPasswordSignup=True, enableEmailLinkSignin=True)
    part, path = f"tenants/{tenant}/", f"/tenants/{tenant}"
    server.admin(f"{path}?updateMask=displayName", {"displayName": "two"}, "PATCH", "v2")
    listed, = server.admin("/tenants?pageSize=100", method="GET", version="v2")["tenants"]
    assert listed["tenantId"] == tenant and listed["displayName"] == "two"
    assert server.admin(path, method="GET", version="v2") == listed
    email, user = server.user(tenant=tenant)
    server.js("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    code, = server.own(part + "oobCodes")["oobCodes"]
    assert code["email"] == email and server.follow(code["oobLink"])[0] == 200
    server.own(part + "config", "PATCH", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})
    refused("INVALID_LOGIN_CREDENTIALS", server.sign_in, "nobody@example.com", tenantId=tenant)
    # Each kind of second factor is a setting of the tenant, off by default.
    off = "OPERATION_NOT_ALLOWED : {} based MFA not enabled."
    refused(off.format("TOTP"), server.enroll_totp, user["idToken"])
    refused(off.format("SMS"), server.enroll_phone, user["idToken"], "+15555550173")
    server.admin(f"{path}?updateMask=mfaConfig", {"mfaConfig": {
        "state": "ENABLED", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {}}]}}, "PATCH", "v2")
    _, answer = server.enroll_totp(user["idToken"])
    assert claims(answer["idToken"])["firebase"]["tenant"] == tenant

    server.v2("Enrollment:start", idToken=answer["idToken"], phoneEnrollmentInfo={"phoneNumber": "+15555550173"})
    code, = server.own(part + "verificationCodes")["verificationCodes"]
    assert code["phoneNumber"] == "+15555550173"
    credential = server.sign_in(email, tenantId=tenant)["mfaPendingCredential"]
    refused("INVALID_MFA_PENDING_CREDENTIAL", server.prove_totp, credential, "x", "123456")
    server.own(part + "accounts", "DELETE")
    refused("USER_NOT_FOUND", server.look, answer["idToken"])
    server.admin(path, method="DELETE", version="v2")
    assert not server.admin("/tenants", method="GET", version="v2").get("tenants")
    path = f"/tenants/{server.tenant(disableAuth=True)}/accounts:"
    for name, body in (("lookup", {"localId": ["x"]}), ("query", {}), ("batchCreate", {"users": [{"localId": "x"}]})):
        refused("PROJECT_DISABLED", server.admin, path + name, body)
    refused("PROJECT_DISABLED", server.admin, path + "batchGet", method="GET")


def clock(server):
    """The emulator's clock, which is our extension: it is advanced, frozen, set, and reset to the machine's."""
    assert server.clock(now="2030-01-02T03:04:05Z", stopped=True) == {
        "now": "2030-01-02T03:04:05.000Z", "stopped": True}
    # At other times, second factors would not work.
    for body in ({"now": "yesterday"}, {"now": "-1"}, {"now": "2169-01-01T00:00:01Z"}, {"advanceSeconds": 1 << 62},
                 {"advanceSeconds": -(1 << 62)}, {"now": "nan"}, {"now": "inf"}):
        refused(400, server.clock, **body)
    # As Google's own tests stop it, and at the end: codes, and all that is shown, are of that time.
    for now in (0, 6_279_897_600):
        server.clock(now=str(now), stopped=True)
        email, secret, uid, user = server.member()
        assert claims(user["idToken"])["iat"] == now
        entry, = server.look(user["idToken"])["mfaInfo"]
        assert parse_time(entry["enrolledAt"]) == now
        assert factor(server.prove_totp(server.pending(email), uid, key(secret).at_step(now // 30 + 1))) == uid
    assert server.clock(reset=True)["stopped"] is False and abs(server.now() - time.time()) < 60
