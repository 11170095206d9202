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
    let opened: Opened
    (self, opened) = try Self.opened(sealed, by: keyring, for: subject.span, as: expected)
    origin = Origin(sealed: sealed.copied, layout: opened.bytes, subject: subject)
  }

  /// The same for a caller that keeps what the record was opened from.
  package static func opened(
    _ sealed: Span<UInt8>, by keyring: Keyring, for subject: Span<UInt8>, as expected: Kind? = nil
  ) throws(FactorRecordError) -> (record: FactorRecord, from: Opened) {
    let (kind, isSealed) = try readHeader(sealed, expecting: expected)
    guard isSealed else { throw FactorRecordError(.wrongEncoding) }
    try check(subject)
    guard sealed.count > headerByteCount else { throw FactorRecordError(.malformed) }
    let hash = hash(of: subject)
    for index in 0..<4 where sealed[2 + index] != byte(index, of: hash) { throw FactorRecordError(.anotherSubject) }
    do throws(KeyringError) {
      let opened = try keyring.open(sealed.extracting(headerByteCount..<sealed.count), for: purpose) { writer in
        bind(kind, subject, to: &writer)
      }
      return (try FactorRecord(kind, layout: opened.bytes), opened)
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
  /// - Returns: About 170 bytes for a secret of 20 bytes, 450 for ten recovery codes, depending on the key's name; 25
  ///   more for each former secret, at most 251.
  /// - Throws: ``FactorRecordError`` with `invalidSubject` or `cryptographyFailed`.
  ///
  /// Timing: depends on lengths, and on whether anything has changed.
  public func sealed(by keyring: Keyring, for subject: some StringProtocol) throws(FactorRecordError) -> [UInt8] {
    try sealed(by: keyring, for: Array(subject.utf8))
  }

  /// The same for a subject of any bytes.
  public func sealed(by keyring: Keyring, for subject: [UInt8]) throws(FactorRecordError) -> [UInt8] {
    let layout = layout(ofHeader: [])
    // The layout is without the kind, so one that was replaced can have the same.
    if let origin, origin.subject == subject, origin.sealed[1] == kind.rawValue,
      SecretBytes.equal(origin.layout, layout),
      keyring.isByActiveKey(origin.sealed.span.extracting(Self.headerByteCount..<origin.sealed.count))
    {
      return origin.sealed
    }
    return try seal(layout, by: keyring, for: subject.span)
  }

  /// The same for a caller that keeps what the record was opened from: `nil` if nothing has changed since then.
  package func sealed(
    by keyring: Keyring, for subject: Span<UInt8>, unlessSameAs opened: (kind: Kind, content: Opened)?
  ) throws(FactorRecordError) -> [UInt8]? {
    let layout = layout(ofHeader: [])
    if let (kind, content) = opened, kind == self.kind, content.isByActiveKey, SecretBytes.equal(content.bytes, layout)
    {
      return nil
    }
    return try seal(layout, by: keyring, for: subject)
  }

  private func seal(
    _ layout: SecretBytes, by keyring: Keyring, for subject: Span<UInt8>
  ) throws(FactorRecordError) -> [UInt8] {
    try Self.check(subject)
    do throws(KeyringError) {
      var sealed = try keyring.seal(layout, for: Self.purpose, after: Self.headerByteCount) { writer in
        Self.bind(kind, subject, to: &writer)
      }
      (sealed[0], sealed[1]) = (Self.version, kind.rawValue)
      let hash = Self.hash(of: subject)
      for index in 0..<4 { sealed[2 + index] = Self.byte(index, of: hash) }
      return sealed
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
    if !reader.isAtEnd { spentSecrets = try [SpentSecret](from: &reader) }
    try reader.finish()
  }

  private func layout(ofHeader header: [UInt8]) -> SecretBytes {
    var writer = ByteWriter()
    writer.append(raw: header.span)
    encode(to: &writer)
    if !spentSecrets.isEmpty { spentSecrets.encode(to: &writer) }
    return writer.finish()
  }

  private static func check(_ subject: Span<UInt8>) throws(FactorRecordError) {
    guard 1...maximumSubjectByteCount ~= subject.count else { throw FactorRecordError(.invalidSubject) }
  }

  /// Writes what the seal is bound to: one text of version, kind and subject.
  private static func bind(_ kind: Kind, _ subject: Span<UInt8>, to writer: inout ByteWriter) {
    writer.append(length: 1)
    writer.append(length: 2 + subject.count)
    writer.append(version)
    writer.append(kind.rawValue)
    writer.append(raw: subject)
  }

  /// FNV-1a: enough to notice a mistake.
  private static func hash(of subject: Span<UInt8>) -> UInt32 {
    var hash: UInt32 = 0x811C_9DC5
    for index in subject.indices { hash = (hash ^ UInt32(subject[index])) &* 0x0100_0193 }
    return hash
  }

  private static func byte(_ index: Int, of hash: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: hash >> (24 - 8 * UInt32(index)))
  }
}

extension Span<UInt8> {
  /// The bytes as an array.
  fileprivate var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }
}
