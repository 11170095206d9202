import OTP

// Prints what the self-test reports, which backend serves, and RFC 4226's second code.
let backend = try OTPEngine.selfTest { backend, result in print("\(backend.name)=\(result)") }
print("serves=\(backend.name)")
print(try HOTP(secret: OTPSecret(bytes: Array("12345678901234567890".utf8))).code(counter: 1))
