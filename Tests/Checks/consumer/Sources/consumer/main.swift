import OTP

let secret = try OTPSecret(base32: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
let totp = try TOTP(secret: secret)
print(try totp.code(at: 59), try totp.verify("287082", at: 61, after: nil))
