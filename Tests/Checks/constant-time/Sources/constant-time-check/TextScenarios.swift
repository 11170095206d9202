import CTaint
import FactorRecord
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
    // The outcome, and nothing else, is revealed: the caller may branch on it.
    let before = ct_declassification_count()
    guard secret == (try taintedSecret()), ct_declassification_count() == before + 1 else {
      throw ScenarioError(description: "another outcome, or not one revealed value")
    }
  }
  return decoding + [refused, encoding]
}

func typedCodeScenarios() -> [Scenario] {
  ["287082", "287 082\n", "-２８７ 082", "٢٨٧٠٨٢", "𝟐𝟖𝟕𝟎𝟖𝟐"].enumerated().map { number, text in
    Scenario(name: "typed code read: \(number)") {
      let code = try TaintedBytes(text.utf8).withBytes { text in try SubmittedCode(typedUTF8: text) }
      try requireTainted(code)
      guard try TOTP(secret: try taintedSecret()).verify(code, at: 59, after: nil).isAccepted else {
        throw ScenarioError(description: "a right code is rejected")
      }
    }
  } + [
    Scenario(name: "typed code refused") {
      for text in ["287082x", "+287082", "287\n082", "２８７０８\u{301}"] {
        let code = TaintedBytes(text.utf8).withBytes { text in try? SubmittedCode(typedUTF8: text) }
        guard code == nil else { throw ScenarioError(description: "a text that is not a code was accepted") }
      }
    }
  ]
}

/// What was typed, and the tag of the code in the record, are secret.
func recoveryCodeScenario() -> Scenario {
  Scenario(name: "recovery code read and compared") {
    let time: Int64 = 1_700_000_000
    let (created, codes) = try FactorRecord.recoveryCodes(count: 1, at: time)
    let bytes: [UInt8] = created.withUnsealedBytes { bytes in
      var copy: [UInt8] = []
      for index in bytes.indices { copy.append(bytes[index]) }
      return copy
    }
    let stored = TaintedBytes(bytes, only: bytes.count - 32, 32)
    let wrong = "ABCD-EFGH-IJKL-MNOP-QRST-UVWX"
    let typed: [(String, Bool)] = [(codes[0], true), (codes[0].lowercased(), true), (wrong, false)]
    for (code, isRight) in typed {
      var text = code
      var record = try stored.withBytes { bytes in try FactorRecord(unsealed: bytes) }
      let before = ct_declassification_count()
      // In place, since a text is inspected when it is made.
      unsafe text.withUTF8 { utf8 in unsafe ct_taint(UnsafeMutableRawPointer(mutating: utf8.baseAddress), utf8.count) }
      defer {
        unsafe text.withUTF8 { utf8 in
          unsafe ct_untaint(UnsafeMutableRawPointer(mutating: utf8.baseAddress), utf8.count)
        }
      }
      // Each character, what it is in base32, and the comparison.
      let answer = try record.verify(text, at: time)
      let count = ct_declassification_count() - before
      guard answer.isAccepted == isRight, count > 2 * 29 else {
        throw ScenarioError(description: "a wrong answer, or the taint was lost")
      }
    }
  }
}

func keyURIScenarios() -> [Scenario] {
  // The second has percent-encoded symbols, the third form-encoded plus signs.
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
