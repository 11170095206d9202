import OTP
import SharedFixtures
import Testing

@Suite struct KeyURIProperties {
  @Test(arguments: 0..<6 as Range<UInt64>) func `a URI that is built and parsed has the same values`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    var built = 0
    for _ in 0..<120 {
      guard let uri = try randomURI(&random) else { continue }
      built += 1
      for text in [uri.uriString(), try? uri.uriString(writingDefaults: true)] {
        guard let text else { continue }
        #expect(text.utf8.count <= OTPAuthURI.maximumByteCount)
        #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "seed \(seed)")
        for options in [[], .plusIsSpace, .missingCounterIsZero] as [OTPAuthURI.ParsingOptions] {
          let read = try OTPAuthURI(text, options: options)
          #expect(read == uri, "seed \(seed)")
          #expect(read.account.utf8.elementsEqual(uri.account.utf8), "seed \(seed)")
          #expect(read.uriString() == uri.uriString(), "seed \(seed)")
        }
      }
    }
    #expect(built > 80)
  }

  @Test(arguments: 20..<24 as Range<UInt64>)
  func `a URI that is read, written and read again is the same`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var read = 0
    for _ in 0..<250 {
      guard var text = try randomURI(&random).map({ Array($0.uriString().utf8) }) else { continue }
      // Corrupt a few bytes: many such texts can still be read.
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: text.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(random.pick(Array("%&=:/?+ 3A\u{E9}".utf8)), at: place)
        case 2: text[place] = random.pick(Array(UInt8(0x20)...0x7E))
        default: text.replaceSubrange(place..<place, with: text[place...].prefix(8))
        }
      }
      guard let uri = try? OTPAuthURI(utf8: text.span) else { continue }
      read += 1
      let again = try OTPAuthURI(uri.uriString())
      #expect(again == uri, "seed \(seed)")
      #expect(again.uriString() == uri.uriString(), "seed \(seed)")
    }
    #expect(read > 25)
  }

  private func randomURI(_ random: inout SeededGenerator) throws -> OTPAuthURI? {
    let kind: OTPAuthURI.Kind = random.chance(60) ? .totp(period: random.period()) : .hotp(counter: random.counter())
    let known = ["secret", "issuer", "algorithm", "digits", "period", "counter"]
    var parameters: [OTPAuthURI.Parameter] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let name = random.chance(30) ? random.pick(["image", "color", "lock", "Image", ""]) : random.text(1...8)
      guard !name.isEmpty, !known.contains(name.lowercased()) else { continue }
      parameters.append(.init(name: name, value: random.chance(20) ? nil : random.text(0...20)))
    }
    let account = random.text(1...30, without: [":"])
    guard let initial = account.utf8.first, initial != 0x20 else { return nil }
    do throws(OTPError) {
      return try OTPAuthURI(
        kind, secret: OTPSecret(bytes: random.bytes(1...64)),
        issuer: random.chance(70) ? random.text(0...20, without: [":"]) : nil, account: account,
        algorithm: random.algorithm(), digits: random.digits(), additionalParameters: parameters)
    } catch {
      // Nothing else can be wrong with it.
      #expect(error.code == .uriTooLong)
      return nil
    }
  }
}
