import Foundation
import OTP
import OTPSeeds

/// Keys from other systems' files: readers must not leave traces of a text from which they decode a secret.
func seedScenarios() -> [Scenario] { texts() + containers() }

/// For each format, a good file with the secret in it, and one with a fault after the secret, which is refused.
private func texts() -> [Scenario] {
  let key = "urn:ietf:params:xml:ns:keyprov:pskc"
  let beginning = """
    <KeyContainer Version="1.0" xmlns="\(key)"><KeyPackage><Key Algorithm="\(key):hotp"><AlgorithmParameters>\
    <ResponseFormat Length="6" Encoding="DECIMAL"/></AlgorithmParameters><Data><Secret><PlainValue>
    """
  let end = "</PlainValue></Secret></Data></Key></KeyPackage></KeyContainer>"
  // The message has 6 bytes before the secret of 30 bytes, so that the secret's base64 is a part of the message's.
  let message = "otpauth-migration://offline?data=CigSAAoe"
  let table = "upn,serial number,secret key,time interval\nalice,1,"
  let hex = try? SeedColumns([.secret: "key"], encoding: .hex, kind: .totp())
  return [
    file("PSKC", .pskc(), { try $0.withText(.base64, before: beginning, after: $1 ? end : "?" + end, $2) }),
    file("Entra's table", .csv(.entra), { try $0.withText(.base32, before: table, after: $1 ? ",30" : "1,30", $2) }),
    file(
      "a table in quotes", .csv(.entra),
      { try $0.withText(.base32, before: table + "\"", after: $1 ? "\",30" : "", $2) }),
    file(
      "a table in hexadecimal", hex.map(SeedFormat.csv),
      { try $0.withText(.hex, before: "key\n", after: $1 ? "" : "x", $2) }),
    file(
      "Yubico's log", .yubico(digits: .six),
      { try $0.withText(.hex, before: "1,ubhe00000001,0,", after: $1 ? ",,," : "g,,,", $2) }),
    file(
      "a migration", .migration, { try $0.withText(.base64, before: message, after: $1 ? "IAEoATAC" : "IAEoATAC?", $2) }
    ),
    file(
      "a list of key URIs", .uris,
      { try $0.withText(.base32, before: "otpauth://totp/a?secret=", after: $1 ? "" : "&digits=9", $2) }),
    file("a users.oath", .usersOATH, { try $0.withText(.hex, before: "HOTP a - ", after: $1 ? " 1" : " x", $2) }),
  ].flatMap(\.self)
}

/// The secret in an encrypted container, and as the key or password that opens one.
private func containers() -> [Scenario] {
  [
    Scenario(name: "seeds: an encrypted container is written and read", byteCount: 100) { material in
      let key = PSKCKey.preShared(try OTPSecret.random(for: .sha256))
      let text = try container(Seed(.totp(), secret: material.secret()), key)
      guard try read(text.utf8.span, as: .pskc(key)) == 1 else { throw UnexpectedOutcome() }
    },
    Scenario(name: "seeds: a key opens a container", byteCount: 32) { material in
      let key = PSKCKey.preShared(try material.secret())
      let text = try container(Seed(.totp(), secret: .random(for: .sha1)), key)
      guard try read(text.utf8.span, as: .pskc(key)) == 1 else { throw UnexpectedOutcome() }
    },
    Scenario(name: "seeds: a password opens a container", byteCount: 100) { material in
      let key = PSKCKey.password(try material.secret())
      let text = try container(Seed(.totp(), secret: .random(for: .sha1)), key)
      guard try read(text.utf8.span, as: .pskc(key)) == 1 else { throw UnexpectedOutcome() }
    },
  ]
}

private func container(_ seed: Seed, _ key: PSKCKey) throws -> String {
  let writer = try PSKCWriter(key)
  return try writer.beginning + writer.keyPackage(encrypting: seed) + writer.end
}

/// Writes a good or a faulty file, and lends it.
private typealias Writing = (Material, _ isGood: Bool, (Span<UInt8>) throws -> Int) throws -> Int

private func file(_ name: String, _ format: SeedFormat?, _ text: @escaping Writing) -> [Scenario] {
  [true, false].map { isGood in
    Scenario(name: "seeds: \(name) is \(isGood ? "read" : "refused")", byteCount: 30) { material in
      guard let format, try text(material, isGood, { try read($0, as: format) }) == (isGood ? 1 : 0) else {
        throw UnexpectedOutcome()
      }
    }
  }
}

/// Reads a file through a pipe, whose memory belongs to the kernel.
///
/// - Returns: The number of keys in the file.
private func read(_ text: Span<UInt8>, as format: SeedFormat) throws -> Int {
  var ends: [Int32] = [0, 0]
  guard unsafe pipe(&ends) == 0 else { throw UnexpectedOutcome() }
  defer { close(ends[0]) }
  let written = unsafe text.withUnsafeBytes { bytes in unsafe write(ends[1], bytes.baseAddress, bytes.count) }
  close(ends[1])
  guard written == text.count else { throw UnexpectedOutcome() }
  var reader = SeedReader(format, from: SeedSource(descriptor: ends[0]))
  var count = 0
  do {
    while let record = try reader.next() {
      if case .seed = record { count += 1 }
    }
  } catch {}
  return count
}
