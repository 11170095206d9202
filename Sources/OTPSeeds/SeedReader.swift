import OTP

/// Reads keys from another system's file, one by one, in bounded memory.
///
/// ```swift
/// var reader = SeedReader(.pskc(.password(password)), from: SeedSource(descriptor: file))
/// while let record = try reader.next() { … }
/// ```
///
/// A key that is refused does not end the reading, so that a report can name all of them; what comes after something
/// that is no longer the format cannot be read, and is thrown. To take all or nothing, read a file twice: once for the
/// report, and, if nothing was refused, again for the keys.
public struct SeedReader {
  /// The most keys that are read from a file.
  public static var maximumSeedCount: Int { 1 << 20 }

  private var parser: any SeedParser
  /// What names the devices that were read: two hashes each, by keys that are the process's own.
  private var serials: Set<SerialHash> = []
  private var count = 0
  private var isOver = false

  /// Whether what was read so far has a signature, which is not verified; a report should say so. A file without one
  /// may have had one.
  public var hasUnverifiedSignature: Bool { parser.hasSignature }

  /// A reader of a file.
  ///
  /// - Parameters:
  ///   - format: What kind of file it is. It is never guessed.
  ///   - source: The file's bytes.
  public init(_ format: SeedFormat, from source: SeedSource) {
    parser =
      switch format {
      case .pskc(let key): PSKCParser(source, key: key)
      case .csv(let columns): CSVParser(source, columns: columns)
      case .yubico(let digits): YubicoParser(source, digits: digits)
      case .migration: MigrationParser(source)
      case .uris: URIListParser(source)
      case .googleAuthenticator: GoogleAuthenticatorParser(source)
      case .usersOATH: UsersOATHParser(source)
      }
  }

  /// The next key, or why it is refused; `nil` at the end.
  ///
  /// - Throws: ``SeedRefusal`` for what ends the reading: a file that is not of its format, cannot be read, is too long,
  ///   or, if it is encrypted, does not open. The next call returns `nil`.
  ///
  /// Timing: depends on the file's layout, and on which values are authentic; not on the symbols that spell a secret.
  public mutating func next() throws(SeedRefusal) -> SeedRecord? {
    if isOver { return nil }
    do throws(SeedRefusal) {
      guard let record = try parser.next() else {
        isOver = true
        return nil
      }
      count += 1
      guard count <= Self.maximumSeedCount else { throw SeedRefusal(line: parser.line, .file, .tooLong) }
      if case .seed(let seed) = record, let hash = SerialHash(seed), !serials.insert(hash).inserted {
        return .refused(SeedRefusal(line: seed.line, .serial, .duplicate))
      }
      return record
    } catch {
      isOver = true
      throw error
    }
  }
}

/// A kind of file.
#if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
@nonexhaustive
#endif
public enum SeedFormat: Sendable {
  /// A Portable Symmetric Key Container, with what opens it if it is encrypted.
  ///
  /// Source: RFC 6030.
  case pskc(PSKCKey? = nil)
  /// A table whose columns the caller names.
  case csv(SeedColumns)
  /// What the YubiKey Personalization Tool logs, in its own format or the one called traditional. The former does not
  /// say how many digits a code has.
  case yubico(digits: OTPCode.Digits)
  /// Google Authenticator's export: all `otpauth-migration://` URIs of one batch, one a line.
  case migration
  /// Key URIs, one a line; a line that begins with `#` is a comment.
  case uris
  /// The `.google_authenticator` of libpam-google-authenticator.
  case googleAuthenticator
  /// The `users.oath` of pam_oath.
  case usersOATH
}

/// What reads one kind of file.
protocol SeedParser {
  /// Where it is.
  var line: Int { get }
  /// Whether it has met a signature.
  var hasSignature: Bool { get }
  mutating func next() throws(SeedRefusal) -> SeedRecord?
}

extension SeedParser {
  var hasSignature: Bool { false }
}

/// What names a device, hashed, so that a million of them take little memory. Two that differ have the same hash by
/// chance only, once in 2^88 files of a million.
private struct SerialHash: Hashable {
  private let first: Int
  private let second: Int

  init?(_ seed: Seed) {
    guard let serial = seed.serial else { return nil }
    first = Self.hash(0, serial, seed.keyID)
    second = Self.hash(1, serial, seed.keyID)
  }

  private static func hash(_ number: Int, _ serial: String, _ keyID: String?) -> Int {
    var hasher = Hasher()
    hasher.combine(number)
    // Bytes, and not what Unicode holds for equal.
    for byte in serial.utf8 { hasher.combine(byte) }
    hasher.combine(keyID == nil)
    for byte in (keyID ?? "").utf8 { hasher.combine(byte) }
    hasher.combine(serial.utf8.count)
    return hasher.finalize()
  }
}
