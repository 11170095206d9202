import OTP

// Prints the result of every backend's known-answer test, the backend in use, and RFC 4226's second code.
for backend in HMACBackend.allCases { print("\(backend.name)=\(backend.knownAnswerResult)") }
print("serves=\(try OTPEngine.selfTest { _, _ in }.name)")
print(try HOTP(secret: OTPSecret(bytes: Array("12345678901234567890".utf8))).code(counter: 1))
