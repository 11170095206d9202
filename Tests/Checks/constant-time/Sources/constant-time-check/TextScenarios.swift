import OTP

func base32Scenarios() -> [Scenario] {
  let texts = [
    ("canonical", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), ("padded", "GEZDGNBVGY======"),
    ("lower case in groups", "gezd gnbv-gy3t qojq"), ("left-over bits", "M7"),
  ]
  let decoding = texts.map { name, text in
    Scenario(name: "base32 decode: \(name)") {
      let secret = try TaintedBytes(text.utf8).withBytes { text in try OTPSecret(base32UTF8: text) }
      try secret.withBytes { bytes in try requireTainted(bytes[0]) }
    }
  }
  let refused = Scenario(name: "base32 decode: refused") {
    for text in ["GEZDGN!VGY", "GEZ", "GE=ZDGNB", "M7======"] {
      let secret = TaintedBytes(text.utf8).withBytes { text in try? OTPSecret(base32UTF8: text, strict: true) }
      guard secret == nil else { throw ScenarioError(description: "took \(text)") }
    }
  }
  let encoding = Scenario(name: "base32 encode, compare secrets") {
    let secret = try taintedSecret()
    guard secret.base32String() == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" else {
      throw ScenarioError(description: "wrong text")
    }
    // The answer itself is the caller's to branch on.
    try requireTainted(secret == (try taintedSecret()))
  }
  return decoding + [refused, encoding]
}

func keyURIScenarios() -> [Scenario] {
  // The second has symbols written as escapes, the third form-encoding's plus signs.
  let secrets = [
    ("plain", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), ("escaped", "%47EZ%44GNBV%20gy%3d%3D%3d%3D%3d%3D"),
    ("with plus signs", "GEZD+GNBV+GY3T+QOJQ"),
  ]
  return secrets.map { name, secret in
    Scenario(name: "key URI read and written: \(name)") {
      let before = "otpauth://totp/ACME:bob?issuer=ACME&secret="
      let text = TaintedBytes(Array((before + secret + "&period=60").utf8), only: before.utf8.count, secret.utf8.count)
      let uri = try text.withBytes { text in
        try OTPAuthURI(utf8: text, options: name == "with plus signs" ? .plusIsSpace : [])
      }
      try uri.secret.withBytes { bytes in try requireTainted(bytes[0]) }
      guard uri.kind == .totp(period: 60), uri.uriString().hasPrefix("otpauth://totp/ACME:bob?secret=GEZDGNBV") else {
        throw ScenarioError(description: "wrong URI")
      }
    }
  }
}
