import OTP

extension Span where Element == UInt8 {
  var array: [UInt8] { indices.map { self[$0] } }
}

extension String {
  /// The text of bytes that are UTF-8, else `nil`.
  init?(utf8 bytes: [UInt8]) {
    self.init(decoding: bytes, as: UTF8.self)
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}

extension Array<UInt8> {
  func contains(run: ArraySlice<UInt8>) -> Bool {
    guard let first = run.first, count >= run.count else { return false }
    return (0...count - run.count).contains { start in
      self[start] == first && self[start..<start + run.count].elementsEqual(run)
    }
  }
}

/// An error's text is its own: no 16 bytes of it are the input's, but where they are the code's fixed message.
func checkText(of error: OTPError, input: [UInt8]) throws(Violation) {
  guard input.count >= 16 else { return }
  let message = Array(error.code.message.utf8)
  for text in [String(describing: error), String(reflecting: error)] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 16 else { continue }
    for start in 0...bytes.count - 16 {
      let run = bytes[start..<start + 16]
      try require(
        message.contains(run: run) || !input.contains(run: run), "an error does not repeat its input")
    }
  }
}

/// What a piece of work gives, so that two can be compared.
func outcome<R>(_ work: () throws(OTPError) -> R) -> Result<R, OTPError> {
  do throws(OTPError) { return .success(try work()) } catch { return .failure(error) }
}
