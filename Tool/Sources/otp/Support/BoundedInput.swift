import Foundation

/// Reads what should be short, and gives up on what is not: a device or a pipe may never end.
enum BoundedInput {
  /// The most that is read. A key URI has 2,048 bytes at most, and no sensible secret is longer.
  static let maximumByteCount = 4096

  /// The bytes of a file, or of standard input for `-`, without the line breaks at their end.
  ///
  /// - Parameter source: The option or argument that names the file. The path itself stays out of errors: it is where
  ///   a secret ends up that is given to the wrong option.
  static func read(_ path: String, for source: String) throws(ToolError) -> [UInt8] {
    guard let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path) else {
      throw .data("\(source): the file cannot be opened")
    }
    var bytes: [UInt8] = []
    do {
      while bytes.count <= maximumByteCount {
        guard let part = try file.read(upToCount: maximumByteCount + 1 - bytes.count), !part.isEmpty else { break }
        bytes += part
      }
    } catch {
      throw .data("\(source): the file cannot be read")
    }
    guard bytes.count <= maximumByteCount else { throw .data("\(source): more than \(maximumByteCount) bytes") }
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
    return bytes
  }
}
