/// Everything that a program can show of a value of unknown type: in a log line, a crash report, a debugger.
enum Exposure {
  private struct Holder {
    let held: Any
  }

  private final class Owner {
    let owned: Any
    init(_ value: Any) { owned = value }
  }

  /// The texts of a value by itself and inside the containers that programs put values into.
  static func texts(of value: Any) -> [String] {
    let holders: [Any] = [
      value, [value], [value as Any?], ["key": value], (value, 1), Holder(held: value), Owner(value),
      Result<Any, Never>.success(value), Mirror(reflecting: value), [[value]],
    ]
    return holders.flatMap { holder in directTexts(of: holder, isBare: false) } + directTexts(of: value, isBare: true)
  }

  /// The same without the value's own `description`, which for a code is the code.
  static func textsButDescription(of value: Any) -> [String] {
    texts(of: [value]) + directTexts(of: value, isBare: true).dropFirst(2)
  }

  private static func directTexts(of value: Any, isBare: Bool) -> [String] {
    var printed = ""
    print(value, to: &printed)
    var debugPrinted = ""
    debugPrint(value, to: &debugPrinted)
    var dumped = ""
    dump(value, to: &dumped)
    return [String(describing: value), printed, String(reflecting: value), debugPrinted, dumped]
      + mirrorTexts(of: Mirror(reflecting: value), depth: 0)
  }

  private static func mirrorTexts(of mirror: Mirror, depth: Int) -> [String] {
    guard depth < 6 else { return [] }
    let children = mirror.children.flatMap { child in
      [child.label ?? "", String(reflecting: child.value)]
        + mirrorTexts(of: Mirror(reflecting: child.value), depth: depth + 1)
    }
    return children + (mirror.superclassMirror.map { mirrorTexts(of: $0, depth: depth + 1) } ?? [])
  }

  /// How bytes may appear in text: as they are, in base32, in hexadecimal, or as lists of numbers.
  static func spellings(of bytes: [UInt8]) -> [String] {
    let hex = bytes.hexText
    let numbers = bytes.map(String.init)
    return [
      String(decoding: bytes, as: UTF8.self), hex, hex.uppercased(), numbers.joined(separator: ", "),
      numbers.joined(separator: ","), numbers.joined(separator: "\n  - "),
    ]
  }
}
