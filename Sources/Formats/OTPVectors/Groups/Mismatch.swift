import OTP

/// How the engine's result differs from a test's. It shows values, since test vectors are public.
struct Mismatch: Error {
  let explanation: String

  init(_ explanation: String) { self.explanation = explanation }

  /// Checks two numbers.
  static func unlessEqual<Value: Equatable>(
    _ name: String, _ value: Value, _ expected: Value
  ) throws(Mismatch) {
    guard value == expected else { throw Mismatch("\(name): expected \(expected), got \(value)") }
  }

  /// Checks two texts byte by byte, since `==` treats different Unicode spellings as equal.
  static func unlessSame(_ name: String, _ text: String?, _ expected: String?) throws(Mismatch) {
    let isSame =
      switch (text, expected) {
      case (nil, nil): true
      case (let text?, let expected?): text.utf8.elementsEqual(expected.utf8)
      default: false
      }
    guard !isSame else { return }
    let shown = [expected, text].map { $0.map { Quotation.text($0) } ?? "none" }
    throw Mismatch("\(name): expected \(shown[0]), got \(shown[1])")
  }

  /// Checks bytes.
  static func unlessEqual(
    _ name: String, bytes: some Collection<UInt8>, _ expected: [UInt8]
  ) throws(Mismatch) {
    guard !bytes.elementsEqual(expected) else { return }
    throw Mismatch("\(name): expected \(shown(expected)), got \(shown(bytes))")
  }

  /// Turns an error of the engine into a mismatch.
  static func ifThrown<Value>(_ body: () throws(OTPError) -> Value) throws(Mismatch) -> Value {
    do { return try body() } catch { throw Mismatch("got an error: \(error)") }
  }

  private static func shown(_ bytes: some Collection<UInt8>) -> String {
    let text = Hexadecimal.text(bytes.prefix(80))
    return bytes.isEmpty ? "none" : bytes.count > 80 ? text + "… (\(bytes.count) bytes)" : text
  }
}
