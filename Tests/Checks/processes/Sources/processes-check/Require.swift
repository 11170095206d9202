import Foundation
import MultiFactor

/// A fault that the check found.
struct Wrong: Error, CustomStringConvertible {
  let description: String
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw Wrong(description: message()) }
}

/// Pseudo-random numbers (SplitMix64), the same for the same seed.
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A folder that is removed when the object is released.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("processes-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A policy of many attempts without delays.
func patientPolicy() throws -> AttemptLimit {
  try AttemptLimit(failuresUntilLock: 100, lockDuration: nil, firstDelayedFailure: 100, initialDelay: .zero)
}

/// Writes a whole line at once.
func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
