internal import COTPSupport

/// Lends the UTF-8 of a text, without a copy if its storage is contiguous, as that of every native Swift string is.
@inlinable package func withUTF8<R, E: Error>(
  of text: some StringProtocol, _ body: (Span<UInt8>) throws(E) -> R
) throws(E) -> R { try withSpan(of: text.utf8, body) }

/// Whether two texts have the same bytes.
func sameBytes(_ left: String?, _ right: String?) -> Bool {
  switch (left, right) {
  case (nil, nil): true
  case (let left?, let right?): left.hasBytes(of: right)
  default: false
  }
}

extension String? {
  /// The text, or `nil` if it is empty.
  var nonEmpty: String? {
    guard let self, !self.utf8.isEmpty else { return nil }
    return self
  }
}

extension String {
  /// Whether two texts have the same bytes. `==` compares by Unicode canonical equivalence, under which a text that was
  /// changed can still be equal.
  package func hasBytes(of other: String) -> Bool {
    var other = other
    return other.withUTF8 { bytes in hasBytes(unsafe bytes.span) }
  }

  private func hasBytes(_ bytes: Span<UInt8>) -> Bool {
    var text = self
    return text.withUTF8 { utf8 in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe utf8.count == bytes.count && otp_equal(utf8.baseAddress, bytes.baseAddress, bytes.count) == 1
      }
    }
  }

  /// The text of bytes that are UTF-8, else `nil`. Nothing is repaired.
  package init?(validUTF8 bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    guard hasBytes(bytes) else { return nil }
  }

  /// The text of bytes that are UTF-8.
  ///
  /// - Throws: `OTPError` with code `invalidUTF8` and the part of the URI.
  package init(validUTF8 bytes: Span<UInt8>, part: OTPError.Part) throws(OTPError) {
    guard let text = String(validUTF8: bytes) else { throw OTPError(.invalidUTF8, part: part) }
    self = text
  }
}
