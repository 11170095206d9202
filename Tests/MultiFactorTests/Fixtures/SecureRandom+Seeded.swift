import Keyring
import SharedFixtures

extension SecureRandom {
  /// A source whose bytes are the same for the same seed.
  static func seeded(_ seed: UInt64) -> SecureRandom {
    let generator = Locked(SeededGenerator(seed: seed))
    return unsafe SecureRandom { bytes in
      generator.withLock { generator in
        for index in bytes.indices { unsafe bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
      }
      return true
    }
  }
}
