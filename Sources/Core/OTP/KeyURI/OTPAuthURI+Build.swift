extension OTPAuthURI {
  /// The URI itself, secret included, to show as a QR code during enrollment. The text is not wiped.
  ///
  /// Everything except RFC 3986's unreserved characters is percent-encoded. `algorithm`, `digits` and `period` are
  /// written only if they differ from SHA1, 6 and 30, since some apps refuse parameters that they do not expect.
  ///
  /// Timing: does not depend on the secret's bytes.
  public func uriString() -> String { encoded(writingDefaults: false, showingSecret: true) }

  /// The URI itself, as ``uriString()``, optionally with the parameters that have their default values.
  ///
  /// - Parameter writingDefaults: Whether to write `algorithm`, `digits` and `period` even if they are SHA1, 6 and 30.
  /// - Throws: `OTPError` with code `uriTooLong` if that takes more than 2,048 bytes.
  public func uriString(writingDefaults: Bool) throws(OTPError) -> String {
    _ = try uriByteCount(writingDefaults: writingDefaults)
    return encoded(writingDefaults: writingDefaults, showingSecret: true)
  }

  /// The number of bytes in ``uriString(writingDefaults:)``.
  package func uriByteCount(writingDefaults: Bool) throws(OTPError) -> Int {
    let count = encodedByteCount(writingDefaults: writingDefaults)
    guard count <= OTPAuthURI.maximumByteCount else { throw OTPError(.uriTooLong, part: .uri) }
    return count
  }

  /// Writes what ``uriString(writingDefaults:)`` returns into memory of that size.
  package func writeURI(writingDefaults: Bool, to output: UnsafeMutableBufferPointer<UInt8>) {
    _ = unsafe write(to: output, writingDefaults: writingDefaults, showingSecret: true)
  }

  func encodedByteCount(writingDefaults: Bool) -> Int {
    var counter = URIWriter()
    write(to: &counter, writingDefaults: writingDefaults, showingSecret: true)
    return counter.count
  }

  func encoded(writingDefaults: Bool, showingSecret: Bool) -> String {
    // Counted first, so that no buffer grows and leaves a copy of the secret behind.
    var counter = URIWriter()
    write(to: &counter, writingDefaults: writingDefaults, showingSecret: showingSecret)
    return unsafe String(unsafeUninitializedCapacity: counter.count) { output in
      unsafe write(to: output, writingDefaults: writingDefaults, showingSecret: showingSecret)
    }
  }

  private func write(
    to output: UnsafeMutableBufferPointer<UInt8>, writingDefaults: Bool, showingSecret: Bool
  ) -> Int {
    var writer = unsafe URIWriter(output: output)
    write(to: &writer, writingDefaults: writingDefaults, showingSecret: showingSecret)
    // Public: the text that the caller asked for.
    unsafe declassify(output)
    return writer.count
  }

  private func write(to writer: inout URIWriter, writingDefaults: Bool, showingSecret: Bool) {
    switch kind {
    case .totp: writer.write("otpauth://totp/")
    case .hotp: writer.write("otpauth://hotp/")
    }
    if let labelIssuer {
      writer.writeEncoded(labelIssuer)
      writer.write(":")
    }
    writer.writeEncoded(account)

    writer.write("?secret=")
    if showingSecret {
      writer.writeBase32(secret)
    } else {
      writer.write("…")
    }
    if let issuerParameter {
      writer.write("&issuer=")
      writer.writeEncoded(issuerParameter)
    }
    if writingDefaults || algorithm != .sha1 {
      writer.write("&algorithm=")
      writer.write(algorithm.name)
    }
    if writingDefaults || digits != .six {
      writer.write("&digits=")
      writer.write(String(digits.rawValue))
    }
    switch kind {
    case .totp(let period):
      if writingDefaults || period != 30 {
        writer.write("&period=")
        writer.write(String(period))
      }
    case .hotp(let counter):
      writer.write("&counter=")
      writer.write(String(counter))
    }
    for parameter in additionalParameters {
      writer.write("&")
      writer.writeEncoded(parameter.name)
      guard let value = parameter.value else { continue }
      writer.write("=")
      if showingSecret {
        writer.writeEncoded(value)
      } else {
        writer.write("…")
      }
    }
  }
}
