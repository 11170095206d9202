import OTP

/// Reads keys from another system's file, one by one, in bounded memory.
///
/// ```swift
/// var reader = SeedReader(
///   .pskc(.password(password)), from: SeedSource(descriptor: file))
/// while let record = try reader.next() { … }
/// ```
///
/// The reader continues after a refused key, so that a report can name all of them. If it can no longer follow the
/// format, it throws and ends. To import all keys or none, read the file twice: once for the report and, if nothing was
/// refused, again for the keys.
public struct SeedReader {
  /// The most records that are read from a file.
  public static var maximumSeedCount: Int { 1 << 20 }

  private var parser: any SeedParser
  /// The hashes of the serial numbers and key identifiers read so far.
  private var serials: Set<SIMD2<Int>> = []
  private var count = 0
  private var isOver = false

  /// Whether a signature has been read so far. Signatures are not verified, and a report should say so. A file without
  /// a signature may have had one.
  public var hasUnverifiedSignature: Bool { parser.hasSignature }

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - format: The format of the file, which is never guessed.
  ///   - source: The file's bytes.
  public init(_ format: SeedFormat, from source: SeedSource) {
    parser =
      switch format {
      case .pskc(let key): PSKCParser(source, key: key)
      case .csv(let columns): CSVParser(source, columns: columns)
      case .yubico(let digits): YubicoParser(source, digits: digits)
      case .migration: MigrationParser(source)
      case .uris: URIListParser(source)
      case .usersOATH: UsersOATHParser(source)
      }
  }

  /// The next key, or the reason why it is refused; `nil` at the end. A key that does not decrypt is refused.
  ///
  /// - Throws: ``SeedRefusal`` if the reader cannot continue: the file does not follow its format, cannot be read, is
  ///   too long, or is encrypted in a way that is not supported. The next call returns `nil`.
  ///
  /// Timing: depends on the file's layout and on which values are authentic, but not on the symbols of a secret.
  public mutating func next() throws(SeedRefusal) -> SeedRecord? {
    if isOver { return nil }
    do throws(SeedRefusal) {
      guard let record = try parser.next() else {
        isOver = true
        return nil
      }
      count += 1
      guard count <= Self.maximumSeedCount else { throw SeedRefusal(line: parser.line, .file, .tooLong) }
      if case .seed(let seed) = record, let hash = seed.serialHash, !serials.insert(hash).inserted {
        return .refused(SeedRefusal(line: seed.line, .serial, .duplicate))
      }
      return record
    } catch {
      isOver = true
      throw error
    }
  }
}

/// The format of a file.
#if hasAttribute(nonexhaustive)  // Swift 6.2.0 to 6.2.2 lack it.
@nonexhaustive
#endif
public enum SeedFormat: Sendable {
  /// A Portable Symmetric Key Container, with the key or password if it is encrypted. With either, a secret in the
  /// clear is refused.
  ///
  /// Source: RFC 6030.
  case pskc(PSKCKey? = nil)
  /// A table whose columns the caller names.
  case csv(SeedColumns)
  /// The YubiKey Personalization Tool's log, in its own format or its "traditional" one. Its own format does not record
  /// the number of digits.
  case yubico(digits: OTPCode.Digits)
  /// Google Authenticator's export: all `otpauth-migration://` URIs of one batch, one a line.
  case migration
  /// Key URIs, one a line; a line that begins with `#` is a comment.
  case uris
  /// The `users.oath` of pam_oath.
  case usersOATH
}

/// A parser for one format.
protocol SeedParser {
  /// The current line.
  var line: Int { get }
  /// Whether a signature has been read.
  var hasSignature: Bool { get }
  mutating func next() throws(SeedRefusal) -> SeedRecord?
}

extension SeedParser {
  var hasSignature: Bool { false }
}

extension Seed {
  /// The serial number and the key's identifier as two hashes, keyed per process, so that a million of them take little
  /// memory. In a file of a million, two different ones collide with a probability of 2^-89.
  fileprivate var serialHash: SIMD2<Int>? {
    guard let serial else { return nil }
    // Bytes are compared, not Unicode's canonical equivalents; and a serial number has no control character.
    let bytes = Array((serial + (keyID.map { "\0" + $0 } ?? "")).utf8)
    return SIMD2(bytes.hashValue, (bytes + [0]).hashValue)
  }
}
