import CPeers
import OTP

/// `base32/decode/32`.
enum Base32Case {
  static var decode: Case {
    let row = "base32/decode/32"
    return Case(name: row, unit: "text") {
      // One of a few texts, in turn.
      let utf8 = (0..<16).map { Array(Base32.encode(Fixtures.secret(for: .sha1, $0).span).utf8) }
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
}
