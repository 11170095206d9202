import Keyring
import OTP

// A record as bytes, as the article RecordFormat describes them. Nothing but the seal protects a record: the version,
// the kind and the subject's hash stand in front of it only so that an error can say what is wrong.
extension FactorRecord {
  /// What a record was opened from.
  struct Origin: Sendable {
    let sealed: [UInt8]
    let layout: SecretBytes
    let subject: [UInt8]
  }

  private static var version: UInt8 { 1 }
  private static var unsealed: UInt8 { 0x80 }
  private static var headerByteCount: Int { 6 }
  private static var maximumSubjectByteCount: Int { 1024 }
  private static var purpose: Purpose { Purpose("factor record") }

  /// Opens a record.
  ///
  /// - Parameters:
  ///   - sealed: What `sealed(by:for:)` returned.
  ///   - keyring: A keyring with the key that sealed it.
  ///   - subject: Whose factor it is, as when it was sealed: 1 to 1,024 bytes, such as `user 42`.
  ///   - kind: The kind that it must have; `nil` for any.
  /// - Throws: ``FactorRecordError`` with `malformed`, `laterVersion`, `wrongEncoding`, `anotherSubject`,
  ///   `anotherKind`, `unknownKey`, `notAuthentic`, `invalidSubject` or `cryptographyFailed`.
  ///
  /// Timing: depends on lengths, the kind and the key's name.
  public init(
    sealed: [UInt8], by keyring: Keyring, for subject: some StringProtocol, as kind: Kind? = nil
  ) throws(FactorRecordError) {
    try self.init(sealed: sealed.span, by: keyring, for: Array(subject.utf8), as: kind)
  }

  /// The same for bytes, and a subject of any bytes.
  public init(
    sealed: Span<UInt8>, by keyring: Keyring, for subject: [UInt8], as expected: Kind? = nil
  ) throws(FactorRecordError) {
    let (kind, isSealed) = try Self.readHeader(sealed, expecting: expected)
    guard isSealed else { throw FactorRecordError(.wrongEncoding) }
    let context = try Self.context(kind, subject)
    guard sealed.count > Self.headerByteCount else { throw FactorRecordError(.malformed) }
    let hash = Self.hash(of: subject)
    for index in 0..<4 where sealed[2 + index] != UInt8(truncatingIfNeeded: hash >> (24 - 8 * UInt32(index))) {
      throw FactorRecordError(.anotherSubject)
    }
    do throws(KeyringError) {
      let opened = try keyring.open(
        sealed.extracting(Self.headerByteCount..<sealed.count), for: Self.purpose, boundTo: context)
      self = try FactorRecord(kind, layout: opened.bytes)
      origin = Origin(sealed: sealed.copied, layout: opened.bytes, subject: subject)
    } catch {
      throw FactorRecordError(error)
    }
  }

  /// Seals the record with the keyring's active key, bound to its subject.
  ///
  /// If nothing has changed since it was opened for the same subject, and the active key had sealed it, these are the
  /// same bytes: nothing need be written. So every change, and every use after a rotation, seals with the active key.
  ///
  /// - Parameters:
  ///   - keyring: The keyring.
  ///   - subject: Whose factor it is: 1 to 1,024 bytes. It should name its kind, such as `user 42`, and must never
  ///     change.
  /// - Returns: About 170 bytes for a secret of 20 bytes, 450 for ten recovery codes, depending on the key's name.
  /// - Throws: ``FactorRecordError`` with `invalidSubject`, `randomnessUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: depends on lengths, and on whether anything has changed.
  public func sealed(by keyring: Keyring, for subject: some StringProtocol) throws(FactorRecordError) -> [UInt8] {
    try sealed(by: keyring, for: Array(subject.utf8))
  }

  /// The same for a subject of any bytes.
  public func sealed(by keyring: Keyring, for subject: [UInt8]) throws(FactorRecordError) -> [UInt8] {
    let context = try Self.context(kind, subject)
    let layout = layout(ofHeader: [])
    // The layout is without the kind, so one that was replaced can have the same.
    if let origin, origin.subject == subject, origin.sealed[1] == kind.rawValue,
      SecretBytes.equal(origin.layout, layout),
      keyring.isByActiveKey(origin.sealed.span.extracting(Self.headerByteCount..<origin.sealed.count))
    {
      return origin.sealed
    }
    let hash = Self.hash(of: subject)
    let header =
      [Self.version, kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: hash >> (24 - 8 * UInt32($0))) }
    do throws(KeyringError) {
      return try keyring.seal(layout, for: Self.purpose, boundTo: context, after: header)
    } catch {
      throw FactorRecordError(error)
    }
  }

  /// The name of the key that sealed a record: to find those that an old key has sealed.
  ///
  /// - Throws: ``FactorRecordError`` with `malformed`, `laterVersion` or `wrongEncoding`.
  public static func sealingKeyName(of sealed: [UInt8]) throws(FactorRecordError) -> String {
    guard try readHeader(sealed.span, expecting: nil).isSealed else { throw FactorRecordError(.wrongEncoding) }
    guard sealed.count > headerByteCount else { throw FactorRecordError(.malformed) }
    do throws(KeyringError) {
      return try Keyring.keyName(ofSealed: sealed.span.extracting(headerByteCount..<sealed.count))
    } catch {
      throw FactorRecordError(error)
    }
  }

  /// Reads a record that is not sealed, of a host that seals by its own means, such as a key service.
  ///
  /// - Parameters:
  ///   - bytes: What ``withUnsealedBytes(_:)`` lent.
  ///   - kind: The kind that it must have; `nil` for any.
  /// - Throws: ``FactorRecordError`` with `malformed`, `laterVersion`, `wrongEncoding` or `anotherKind`.
  public init(unsealed bytes: Span<UInt8>, as kind: Kind? = nil) throws(FactorRecordError) {
    let (found, isSealed) = try Self.readHeader(bytes, expecting: kind)
    guard !isSealed else { throw FactorRecordError(.wrongEncoding) }
    do throws(KeyringError) {
      self = try FactorRecord(found, layout: SecretBytes(copying: bytes.extracting(2..<bytes.count)))
    } catch {
      throw FactorRecordError(error)
    }
  }

  /// Lends the record's bytes without sealing them: they contain the secret. Encrypt and authenticate them, bound to
  /// the user, before you store them. The same record has the same bytes.
  public func withUnsealedBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try layout(ofHeader: [Self.version, kind.rawValue | Self.unsealed]).withBytes(body)
  }

  /// Reads version and kind.
  private static func readHeader(
    _ bytes: Span<UInt8>, expecting expected: Kind?
  ) throws(FactorRecordError) -> (kind: Kind, isSealed: Bool) {
    guard bytes.count > 2, bytes[0] != 0 else { throw FactorRecordError(.malformed) }
    guard bytes[0] == version else { throw FactorRecordError(.laterVersion) }
    guard let kind = Kind(rawValue: bytes[1] & ~unsealed) else { throw FactorRecordError(.malformed) }
    guard expected == nil || expected == kind else { throw FactorRecordError(.anotherKind) }
    return (kind, bytes[1] & unsealed == 0)
  }

  private init(_ kind: Kind, layout: SecretBytes) throws(KeyringError) {
    var reader = ByteReader(layout)
    try self.init(kind, from: &reader)
    try reader.finish()
  }

  private func layout(ofHeader header: [UInt8]) -> SecretBytes {
    var writer = ByteWriter(capacity: 512)
    for byte in header { writer.append(byte) }
    encode(to: &writer)
    return writer.finish()
  }

  /// What the seal is bound to.
  private static func context(_ kind: Kind, _ subject: [UInt8]) throws(FactorRecordError) -> [UInt8] {
    guard 1...maximumSubjectByteCount ~= subject.count else { throw FactorRecordError(.invalidSubject) }
    return [version, kind.rawValue] + subject
  }

  /// FNV-1a: enough to notice a mistake.
  private static func hash(of subject: [UInt8]) -> UInt32 {
    subject.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}

extension Span<UInt8> {
  /// The bytes as an array.
  fileprivate var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }
}
