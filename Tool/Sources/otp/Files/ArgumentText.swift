import Foundation

/// Converts arguments to text, which the parser requires, and back to their bytes.
///
/// A path can have any bytes except NUL. In `CommandLine.arguments` everything that is not UTF-8 becomes U+FFFD, so
/// that the wrong file would be opened, and two names would be one. Here such a byte becomes a NUL and the character
/// with its number: since no argument contains a NUL, every text stands for exactly one argument.
enum ArgumentText {
  /// Precedes a byte that is not UTF-8.
  static let mark: Unicode.Scalar = "\0"

  /// The arguments of this process without the tool's name.
  static func ofProcess() -> [String] {
    (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return unsafe text(of: [UInt8](cString: argument))
    }
  }

  static func text(of bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var position = 0
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        text.append(Unicode.UTF8.decode(encoded))
        position += encoded.count
      case .error(let length):
        for byte in bytes[position..<position + length] { text += [mark, Unicode.Scalar(byte)] }
        position += length
      case .emptyInput: return String(text)
      }
    }
  }

  static func bytes(of text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      if scalar == mark, let byte = scalars.next() {
        bytes.append(UInt8(truncatingIfNeeded: byte.value))
      } else {
        bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    return bytes
  }

  /// Whether the argument, or a text containing arguments, was typed as UTF-8.
  static func isUTF8(_ text: String) -> Bool { !text.unicodeScalars.contains(mark) }
}

extension [UInt8] {
  /// The bytes before the NUL.
  init(cString: UnsafePointer<CChar>) {
    self = unsafe Array(UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
  }
}
