import ArgumentParser

/// A file's path as typed: arbitrary bytes, with which the file is opened.
struct PathArgument: ExpressibleByArgument, Equatable {
  /// The bytes in the form of ``ArgumentText``.
  private let argument: String

  init(argument: String) { self.argument = argument }
  init(bytes: [UInt8]) { argument = ArgumentText.text(of: bytes) }

  var bytes: [UInt8] { ArgumentText.bytes(of: argument) }

  /// The path as text; `nil` if it is not UTF-8.
  var text: String? { ArgumentText.isUTF8(argument) ? argument : nil }

  /// The path for display: escaped by ``DisplayText``, and a byte that is not UTF-8 as `\x{hexadecimal}`.
  var shown: String {
    var parts = argument.unicodeScalars.split(separator: ArgumentText.mark, omittingEmptySubsequences: false)[...]
    let first = parts.popFirst().map { DisplayText.escaped(String($0)) } ?? ""
    return parts.reduce(into: first) { shown, part in
      let byte = part.first.map { String($0.value, radix: 16) } ?? ""
      shown += "\\x{\(byte)}\(DisplayText.escaped(String(part.dropFirst())))"
    }
  }

  /// The path for an error, or `nil` if it may be a secret that was given in place of a path: it must have a slash or a
  /// dot, which no factor's secret has, and no colon, which every URI has; and its folder must exist or, if it is
  /// absolute, such as that of a disk that is not mounted, the first one below the root.
  var name: String? {
    let (slash, dot, colon) = (UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: ":"))
    let folder = bytes.lastIndex(of: slash).map { Array(bytes[...$0]) } ?? [dot]
    let top = bytes.first == slash ? [slash] + bytes.dropFirst().prefix { $0 != slash } : []
    guard bytes.contains(slash) || bytes.contains(dot), !bytes.contains(colon),
      [folder, top].contains(where: { FileStatus(of: PathArgument(bytes: $0))?.isFolder == true })
    else { return nil }
    return shown
  }

  /// The file for an error, by its path if that may be shown: with a slash, since a password can have a dot.
  var fileName: String {
    bytes.contains(UInt8(ascii: "/")) ? name.map { "the file \($0)" } ?? "the file" : "the file"
  }

  /// The path of a file in this folder.
  func appending(_ name: [UInt8]) -> PathArgument {
    let slash = UInt8(ascii: "/")
    return PathArgument(bytes: bytes + (bytes.last == slash ? [] : [slash]) + name)
  }

  /// The help text for a path that is checked with ``FileStatus/isExposed``.
  static let warningHelp = "A warning is given if other users can read or change it."

  /// The path for system calls.
  var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}

/// A command that has paths as arguments. All other arguments must be UTF-8.
protocol PathTaking {
  /// The paths that were given.
  var paths: [PathArgument] { get }
}
