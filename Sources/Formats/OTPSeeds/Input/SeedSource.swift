import Foundation
import OTP

/// The bytes of a file, read in parts into memory that is wiped.
@safe public final class SeedSource {
  /// The most bytes that are read from a file: one gibibyte.
  public static var maximumByteCount: Int { 1 << 30 }

  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private let buffer = SecretBytes(capacity: 1 << 16)
  private var place = 0
  private var end = 0
  private var total = 0
  /// The line of the next byte, from 1.
  private(set) var line = 1

  /// Bytes supplied by a function.
  ///
  /// - Parameter read: Writes the next bytes to `memory` and returns their number, 0 at the end. Any error that it
  ///   throws is reported as ``SeedRefusal/Reason/unreadable``.
  public init(_ read: @escaping (_ memory: UnsafeMutableRawBufferPointer) throws -> Int) { unsafe self.read = read }

  /// The rest of an open file.
  ///
  /// - Parameter descriptor: The file's descriptor, which is not closed.
  public convenience init(descriptor: Int32) {
    unsafe self.init { memory in
      while true {
        let count = unsafe Foundation.read(descriptor, memory.baseAddress, memory.count)
        if count >= 0 { return count }
        guard errno == EINTR else { throw SeedRefusal(line: 0, .file, .unreadable) }
      }
    }
  }

  /// Bytes in memory. The caller must wipe them.
  public convenience init(bytes: [UInt8]) {
    var rest = bytes[...]
    unsafe self.init { memory in
      let part = rest.prefix(memory.count)
      unsafe memory.copyBytes(from: part)
      rest.removeFirst(part.count)
      return part.count
    }
  }

  /// The next byte, without consuming it; `nil` at the end.
  func peek() throws(SeedRefusal) -> UInt8? {
    if place == end {
      try fill()
      if end == 0 { return nil }
    }
    return unsafe buffer.mutableBytes[place]
  }

  /// Consumes the next byte; `nil` at the end.
  func next() throws(SeedRefusal) -> UInt8? {
    guard let byte = try peek() else { return nil }
    place += 1
    if byte == 0x0A { line += 1 }
    return byte
  }

  private func fill() throws(SeedRefusal) {
    place = 0
    end = 0
    let count: Int
    do {
      count = try unsafe read(UnsafeMutableRawBufferPointer(buffer.mutableBytes))
    } catch {
      throw SeedRefusal(line: line, .file, .unreadable)
    }
    guard (0...buffer.byteCount).contains(count) else { throw SeedRefusal(line: line, .file, .unreadable) }
    total += count
    guard total <= Self.maximumByteCount else { throw SeedRefusal(line: line, .file, .tooLong) }
    end = count
  }

  /// Skips the byte order mark with which some systems begin UTF-8.
  func skipByteOrderMark() throws(SeedRefusal) {
    guard try peek() == 0xEF else { return }
    for byte: UInt8 in [0xEF, 0xBB, 0xBF] {
      guard try next() == byte else { throw SeedRefusal(line: line, .file, .malformed) }
    }
  }
}
