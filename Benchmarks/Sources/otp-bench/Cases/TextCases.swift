import CPeers
import OTP

/// `base32/decode/32` and `uri/{parse,build}`.
enum TextCases {
  static var all: [Case] { [decode, parse, build] }

  private static var decode: Case {
    let row = "base32/decode/32"
    return Case(name: row, unit: "text") {
      // One of a few texts, in turn.
      let texts = (0..<16).map { Base32.encode(Fixtures.secret(for: .sha1, $0).span) }
      let utf8 = texts.map { Array($0.utf8) }
      let engine = { (text: [UInt8]) -> [UInt8]? in try? Base32.decode(utf8: text.span) }
      try require(engine(utf8[3]) == Fixtures.secret(for: .sha1, 3), row, "swift-otp")
      var subjects = [Subject("swift-otp") { consume(engine(utf8[$0 & 15])) }]
      if Peers.hasLiboath {
        let decode = { (text: [UInt8]) -> Int in
          unsafe text.withUnsafeBytes { text in
            unsafe peer_liboath_decode_base32(text.assumingMemoryBound(to: CChar.self).baseAddress, text.count)
          }
        }
        try require(decode(utf8[3]) == 20, row, "liboath")
        subjects.append(Subject("liboath") { consume(decode(utf8[$0 & 15])) })
      }
      return subjects
    }
  }

  private static func uris() throws -> [OTPAuthURI] {
    try (0..<16).map { index in
      try OTPAuthURI(
        .totp(period: 30), secret: OTPSecret(bytes: Fixtures.secret(for: .sha1, index)), issuer: "ACME Co",
        account: "person\(index)@example.com")
    }
  }

  private static var parse: Case {
    let row = "uri/parse"
    return Case(name: row, unit: "URI") {
      let texts = try uris().map { $0.uriString() }
      try require(try OTPAuthURI(texts[5]).account == "person5@example.com", row, "swift-otp")
      return [Subject("swift-otp") { consume(try? OTPAuthURI(texts[$0 & 15])) }]
    }
  }

  private static var build: Case {
    let row = "uri/build"
    return Case(name: row, unit: "URI") {
      let uris = try uris()
      try require(uris[5].uriString().contains("person5%40example.com?secret="), row, "swift-otp")
      return [Subject("swift-otp") { consume(uris[$0 & 15].uriString()) }]
    }
  }
}
