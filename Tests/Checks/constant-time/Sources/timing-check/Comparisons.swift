import OTP

/// Both classes of a comparison have the same outcome, since whether a code is accepted is not a secret.
func comparisons() throws -> [Comparison] {
  let time: Int64 = 1_700_000_000
  let step = UInt64(time / 30)
  let totp = try TOTP(secret: OTPSecret(bytes: Array("12345678901234567890".utf8)))
  let window = try VerificationWindow.adjacent(5)
  let all = try (0..<11).map { try totp.code(forStep: step - 5 + UInt64($0)).description }

  let submitted = UnsafeMutablePointer<SubmittedCode>.allocate(capacity: 1)
  unsafe submitted.initialize(to: try SubmittedCode(all[0]))
  func compare(_ name: String, _ codes: [[SubmittedCode]]) -> Comparison {
    Comparison(name) { group, variation in
      unsafe submitted.pointee = codes[group][variation]
    } work: {
      _ = try? totp.verify(unsafe submitted.pointee, at: time, window: window, after: nil)
    }
  }
  func same(_ text: String) throws -> [SubmittedCode] { try (0..<16).map { _ in try SubmittedCode(text) } }
  /// Wrong codes that share this many leading digits with the current one.
  func wrong(sharing digits: Int) throws -> [SubmittedCode] {
    var codes: [SubmittedCode] = []
    var number = 0
    while codes.count < 16 {
      number += 7919
      let tail = String(1_000_000 + number % 1_000_000).suffix(6 - digits)
      let text = all[5].prefix(digits) + tail
      let isOther = digits == 6 || Array(text)[digits] != Array(all[5])[digits]
      if isOther && !all.contains(String(text)) { codes.append(try SubmittedCode(String(text))) }
    }
    return codes
  }
  /// Secrets that repeat one byte, each with another bit changed.
  func secrets(_ byte: UInt8) -> [[UInt8]] {
    (0..<16).map { index in
      var bytes = [UInt8](repeating: byte, count: 20)
      bytes[index] ^= 1
      return bytes
    }
  }
  let keys = [secrets(0x00), secrets(0xFF)]
  // One address for all secrets, with the midstates on the stack, since the address of a kept key would show.
  let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 20)
  let alone = try VerificationWindow.adjacent(0)
  let (first, last) = try (SubmittedCode(all[0]), SubmittedCode(all[10]))
  let guess = try SubmittedCode("123456")
  let none = try wrong(sharing: 0)

  return [
    compare("accepted at the first step, at the last", [try same(all[0]), try same(all[10])]),
    compare("accepted at the first step, in the middle", [try same(all[0]), try same(all[5])]),
    compare("no digit right, five leading ones", [none, try wrong(sharing: 5)]),
    compare("no digit right, one leading one", [none, try wrong(sharing: 1)]),
    Comparison("keys with few bits set, with many") { group, variation in
      _ = unsafe buffer.update(fromContentsOf: keys[group][variation])
    } work: {
      let secret = unsafe Span(_unsafeElements: buffer)
      _ = try? TOTP.verify(guess, secret: secret, timeStep: totp.timeStep, at: time, window: window, after: nil)
    },
    Comparison("control: a verifier that stops at the code", isControl: true) { group, _ in
      unsafe submitted.pointee = group == 0 ? first : last
    } work: {
      for offset in 0..<11 {
        let found = try? totp.verify(
          unsafe submitted.pointee, at: time + Int64(offset - 5) * 30, window: alone, after: nil)
        if found?.isAccepted ?? false { return }
      }
    },
  ]
}
