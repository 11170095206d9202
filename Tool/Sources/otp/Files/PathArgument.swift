/// A file's path as typed.
struct PathArgument: ExpressibleByArgument, Equatable {
  let text: String

  init(argument: String) { text = argument }

  /// The path for display, escaped by ``DisplayText``.
  var shown: String { DisplayText.escaped(text) }

  /// The path for an error, or `nil` if it may be a secret that was given in place of a path: it must have a slash or a
  /// dot, which no factor's secret has, and no colon, which every URI has; and its folder must exist or, if it is
  /// absolute, such as that of a disk that is not mounted, the first one below the root.
  var name: String? {
    // By bytes: a combining character forms one `Character` with the slash before it.
    let (path, slash) = (text.utf8, UInt8(ascii: "/"))
    let folder = path.lastIndex(of: slash).map { String(decoding: path[...$0], as: UTF8.self) } ?? "."
    let top = path.first == slash ? "/" + String(decoding: path.dropFirst().prefix { $0 != slash }, as: UTF8.self) : ""
    guard path.contains(slash) || path.contains(UInt8(ascii: ".")), !path.contains(UInt8(ascii: ":")),
      [folder, top].contains(where: { FileStatus(of: $0)?.isFolder == true })
    else { return nil }
    return shown
  }

  /// The file for an error, by its path if that may be shown: with a slash, since a password can have a dot.
  var fileName: String {
    text.utf8.contains(UInt8(ascii: "/")) ? name.map { "the file \($0)" } ?? "the file" : "the file"
  }

  /// The path of a file in this folder.
  func appending(_ name: String) -> PathArgument {
    PathArgument(argument: text + (text.utf8.last == UInt8(ascii: "/") ? "" : "/") + name)
  }

  /// The help text for a path that is checked with ``FileStatus/isExposed``.
  static let warningHelp = "A warning is given if other users can read or change it."
}
