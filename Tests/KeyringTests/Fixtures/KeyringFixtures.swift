import Foundation
import Testing

@testable import Keyring
@testable import OTP

extension Purpose {
  static let totpSecret = Purpose("totpSecret")
  static let userToken = Purpose("userToken")
  static let sessionToken = Purpose("sessionToken")
  static let phoneNumber = Purpose("phoneNumber")
  static let smsCode = Purpose("smsCode")
  static let recoveryCode = Purpose("recoveryCode")
  static let all = [totpSecret, userToken, sessionToken, phoneNumber, smsCode, recoveryCode, Purpose("")]
}

extension SecureRandom {
  /// A source that succeeds this many times, then fails.
  static func failing(after successes: Int) -> SecureRandom {
    let calls = Locked(0)
    return unsafe SecureRandom { bytes in
      let isAllowed = calls.withLock { calls in
        calls += 1
        return calls <= successes
      }
      return unsafe isAllowed && SecureRandom.system.fill(bytes)
    }
  }

  /// A source that returns one byte over and over.
  static func constant(_ byte: UInt8) -> SecureRandom {
    unsafe SecureRandom { bytes in
      for index in bytes.indices { unsafe bytes[index] = byte }
      return true
    }
  }
}

extension Keyring {
  /// A keyring each of whose keys is 32 copies of one byte.
  static func fixed(active: (String, UInt8), others: [(String, UInt8)] = [], hash: UInt8 = 9) throws -> Keyring {
    func key(_ name: String, _ byte: UInt8) throws -> Key {
      try Key(name: name, secret: OTPSecret(bytes: [UInt8](repeating: byte, count: 32)))
    }
    return try Keyring(
      activeKey: key(active.0, active.1), otherKeys: others.map { try key($0.0, $0.1) },
      hashKey: OTPSecret(bytes: [UInt8](repeating: hash, count: 32)))
  }

  func sealed(_ text: String, for purpose: Purpose = .totpSecret, _ context: [String] = ["u1", "f1"]) throws
    -> [UInt8]
  {
    try seal(SecretBytes(copying: text.utf8), for: purpose, boundTo: context)
  }

  func opened(_ sealed: [UInt8], for purpose: Purpose = .totpSecret, _ context: [String] = ["u1", "f1"]) throws
    -> String
  {
    String(decoding: try open(sealed, for: purpose, boundTo: context).bytes.copiedBytes(), as: UTF8.self)
  }
}

extension Keyring {
  func sealToken(_ payload: [UInt8], for purpose: Purpose) throws -> String {
    try sealToken(SecretBytes(copying: payload), for: purpose, boundTo: [])
  }

  func openToken(_ text: String, for purpose: Purpose) throws -> SecretBytes {
    try openToken(text, for: purpose, boundTo: [])
  }
}

/// A keyring file's text with the checksum that it needs, instead of the one that it has.
func withChecksum(_ text: String) throws -> String {
  let checksum = text.range(of: #""sha256":""#)?.lowerBound
  let start = checksum.map { String(text[..<$0]) } ?? text.dropLast() + ","
  return try start + String(decoding: KeyringChecksum.end(of: Array(start.utf8).span), as: UTF8.self)
}

/// The kind of `KeyringError` that a closure throws; `nil` if it throws none.
func keyringFailure<R>(_ work: () throws -> R) -> KeyringError.Kind? {
  do {
    _ = try work()
    return nil
  } catch {
    let error = error as? KeyringError
    #expect(error != nil, "an error of another type")
    return error?.kind
  }
}
