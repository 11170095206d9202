import Foundation

/// Everything that reflection finds in a value: each string and byte array as bytes, anything else as its description.
/// With it, a store in memory can be searched like a file on disk.
struct Reflection {
  private(set) var pieces: [[UInt8]] = []
  private var seen: Set<ObjectIdentifier> = []

  init(of value: Any) { walk(value, depth: 0) }

  /// Whether some piece contains these bytes.
  func contains(_ text: String) -> Bool { contains(Array(text.utf8)) }

  /// Whether some piece contains these bytes.
  func contains(_ bytes: [UInt8]) -> Bool { pieces.contains { $0.contains(bytes) } }

  private mutating func walk(_ value: Any, depth: Int) {
    guard depth < 64 else { return }
    switch value {
    case let text as String: pieces.append(Array(text.utf8))
    case let text as Substring: pieces.append(Array(text.utf8))
    case let bytes as [UInt8]: pieces.append(bytes)
    default:
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .class {
        guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
      }
      if mirror.children.isEmpty { pieces.append(Array("\(value)".utf8)) }
      var current: Mirror? = mirror
      while let level = current {
        for child in level.children {
          if let label = child.label { pieces.append(Array(label.utf8)) }
          walk(child.value, depth: depth + 1)
        }
        current = level.superclassMirror
      }
    }
  }
}

extension [UInt8] {
  /// Whether the array contains these bytes in a row.
  func contains(_ needle: [UInt8]) -> Bool { place(of: needle, from: 0) != nil }

  /// The first index at or after `start` where these bytes begin; `nil` if there is none or the needle is empty.
  func place(of needle: [UInt8], from start: Int) -> Int? {
    guard !needle.isEmpty else { return nil }
    // With Foundation, since in a debug build a loop of our own would take most of the time of the secret searches.
    return Data(self).range(of: Data(needle), in: Swift.min(start, count)..<count)?.lowerBound
  }
}
