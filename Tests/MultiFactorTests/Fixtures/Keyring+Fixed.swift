import OTP

@testable import Keyring

extension Keyring {
  /// A keyring each of whose keys is 32 copies of one byte.
  static func fixed(active: (String, UInt8), others: [(String, UInt8)] = []) throws -> Keyring {
    func key(_ name: String, _ byte: UInt8) throws -> Key {
      try Key(name: name, secret: OTPSecret(bytes: [UInt8](repeating: byte, count: 32)))
    }
    return try Keyring(
      activeKey: key(active.0, active.1), otherKeys: others.map { try key($0.0, $0.1) },
      hashKey: OTPSecret(bytes: [UInt8](repeating: 9, count: 32)))
  }
}
