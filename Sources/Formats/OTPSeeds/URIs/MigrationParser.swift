import OTP

/// Reads Google Authenticator's export: `otpauth-migration://offline?data=…`, one URI a line, all those of one batch,
/// in any order.
///
/// The data is a protocol buffers message in base64: keys (1), version (2), and the batch's size (3), index (4) and
/// identifier (5). A key has a secret (1), name (2), issuer (3), algorithm (4), number of digits (5), type (6) and
/// counter (7). The period is 30 seconds. A missing algorithm, number of digits or type is refused, not guessed.
struct MigrationParser: SeedParser {
  /// The most URIs in a batch, far more than a person exports.
  static let maximumBatchSize: UInt64 = 1000

  private var lines: LineReader
  /// The payload being read, and the range still unread.
  private var payload: SecretBytes?
  private var rest = 0..<0
  /// The batch's size and identifier, and the indices of the URIs read so far.
  private var batch: (size: UInt64, id: UInt64)?
  private var places: Set<UInt64> = []

  init(_ source: SeedSource) { lines = LineReader(source) }

  var line: Int { lines.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    while true {
      if let payload {
        let line = line
        var rest = rest
        let record = try payload.withBytes { (bytes) throws(SeedRefusal) -> SeedRecord? in
          while let field = try bytes.field(&rest, line: line) {
            guard case (1, .bytes(let range)) = field else { continue }
            do throws(SeedRefusal) { return .seed(try Self.seed(bytes, range, line: line)) } catch {
              return .refused(error)
            }
          }
          return nil
        }
        self.rest = rest
        if let record { return record }
        self.payload = nil
      }
      guard try lines.next() else { break }
      try readURI()
    }
    guard let batch, places.count == batch.size else { throw SeedRefusal(line: line, .batch, .missing) }
    return nil
  }

  private mutating func readURI() throws(SeedRefusal) {
    let line = line
    let payload = try lines.text.withBytes { (text) throws(SeedRefusal) in
      try Self.payload(text.extracting(text.trimmed), line: line)
    }
    let (size, place, id) = try payload.withBytes { (bytes) throws(SeedRefusal) in
      var rest = 0..<bytes.count
      // Protocol buffers leave out fields that are zero.
      var numbers: [UInt64: UInt64] = [:]
      while let (number, value) = try bytes.field(&rest, line: line) {
        if case .number(let value) = value { numbers[number] = value }
      }
      return (numbers[3] ?? 1, numbers[4] ?? 0, numbers[5] ?? 0)
    }
    guard size >= 1, place < size else { throw SeedRefusal(line: line, .batch, .outOfRange) }
    guard size <= Self.maximumBatchSize else { throw SeedRefusal(line: line, .batch, .tooLong) }
    if let batch, batch != (size, id) { throw SeedRefusal(line: line, .batch, .mismatched) }
    batch = (size, id)
    guard places.insert(place).inserted else { throw SeedRefusal(line: line, .batch, .duplicate) }
    self.payload = payload
    rest = 0..<payload.byteCount
  }

  private static func payload(_ text: Span<UInt8>, line: Int) throws(SeedRefusal) -> SecretBytes {
    let start: StaticString = "otpauth-migration://offline?data="
    guard text.begins(with: start, ignoringCase: true) else { throw SeedRefusal(line: line, .uri, .malformed) }
    let base64 = SecretBytes(capacity: text.count)
    var count = 0
    var index = start.utf8CodeUnitCount
    while index < text.count {
      var byte = text[index]
      index += 1
      if byte == 0x25 {
        guard index + 2 <= text.count, let escaped = text.extracting(index..<index + 2).hexadecimalBytes else {
          throw SeedRefusal(line: line, .uri, .malformed)
        }
        byte = escaped.withBytes { $0[0] }
        index += 2
      }
      unsafe base64.mutableBytes[count] = byte
      count += 1
    }
    base64.shrink(to: count)
    guard let payload = base64.withBytes({ Base64.standard.decode($0) }), payload.byteCount > 0 else {
      throw SeedRefusal(line: line, .uri, .malformed)
    }
    return payload
  }

  private static func seed(_ bytes: Span<UInt8>, _ range: Range<Int>, line: Int) throws(SeedRefusal) -> Seed {
    var rest = range
    var numbers: [UInt64: UInt64] = [:]
    var texts: [UInt64: Range<Int>] = [:]
    while let (number, value) = try bytes.field(&rest, line: line) {
      switch value {
      case .number(let value): numbers[number] = value
      case .bytes(let range): texts[number] = range
      case .fixed: break
      }
    }
    guard let range = texts[1], let secret = try? OTPSecret(bytes: bytes.extracting(range)) else {
      throw SeedRefusal(line: line, .secret, .missing)
    }
    guard range.count <= SecretEncoding.maximumByteCount else { throw SeedRefusal(line: line, .secret, .tooLong) }
    let name = try bytes.extracting(texts[2] ?? 0..<0).text(.account, line: line)
    let issuer = try bytes.extracting(texts[3] ?? 0..<0).text(.issuer, line: line)
    let algorithm: HashAlgorithm =
      switch numbers[4] ?? 0 {
      case 1: .sha1
      case 2: .sha256
      case 3: .sha512
      case 0: throw SeedRefusal(line: line, .algorithm, .missing)
      default: throw SeedRefusal(line: line, .algorithm, .unsupported)
      }
    let digits: OTPCode.Digits =
      switch numbers[5] ?? 0 {
      case 1: .six
      case 2: .eight
      case 0: throw SeedRefusal(line: line, .digits, .missing)
      default: throw SeedRefusal(line: line, .digits, .unsupported)
      }
    let kind: Seed.Kind =
      switch numbers[6] ?? 0 {
      // The field is an `int64`, so a greater number is a negative one.
      case 1 where numbers[7] ?? 0 <= UInt64(Int64.max): .hotp(counter: numbers[7] ?? 0)
      case 1: throw SeedRefusal(line: line, .counter, .outOfRange)
      case 2: .totp()
      case 0: throw SeedRefusal(line: line, .type, .missing)
      default: throw SeedRefusal(line: line, .type, .unsupported)
      }
    return Seed(
      kind, secret: secret, algorithm: algorithm, digits: digits, account: name.map { account($0, of: issuer) },
      issuer: issuer, line: line)
  }
}

/// The account in a name, which often begins with the issuer and a colon, as the label of a key URI does.
private func account(_ name: String, of issuer: String?) -> String {
  guard let issuer, name.utf8.starts(with: (issuer + ":").utf8) else { return name }
  let rest = name.utf8.dropFirst(issuer.utf8.count + 1).drop { $0 == 0x20 }
  return rest.isEmpty ? name : String(decoding: rest, as: UTF8.self)
}

/// The value of a field in a protocol buffers message.
private enum ProtobufValue {
  case number(UInt64)
  case bytes(Range<Int>)
  case fixed
}

extension Span where Element == UInt8 {
  /// The next field of a message; `nil` at its end.
  fileprivate func field(
    _ rest: inout Range<Int>, line: Int
  ) throws(SeedRefusal) -> (number: UInt64, value: ProtobufValue)? {
    if rest.isEmpty { return nil }
    let malformed = SeedRefusal(line: line, .uri, .malformed)
    guard let key = variableLengthNumber(&rest), key >> 3 > 0 else { throw malformed }
    let byteCount: Int
    switch key & 7 {
    case 0:
      guard let value = variableLengthNumber(&rest) else { throw malformed }
      return (key >> 3, .number(value))
    case 1: byteCount = 8
    case 5: byteCount = 4
    case 2:
      guard let count = variableLengthNumber(&rest), let count = Int(exactly: count) else { throw malformed }
      byteCount = count
    default: throw malformed
    }
    guard byteCount <= rest.count else { throw malformed }
    let range = rest.lowerBound..<rest.lowerBound + byteCount
    rest = range.upperBound..<rest.upperBound
    return (key >> 3, key & 7 == 2 ? .bytes(range) : .fixed)
  }

  private func variableLengthNumber(_ rest: inout Range<Int>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let index = rest.popFirst() else { return nil }
      // The tenth byte has room for one bit.
      guard shift < 63 || self[index] <= 1 else { return nil }
      value |= UInt64(self[index] & 0x7F) << shift
      if self[index] < 0x80 { return value }
    }
    return nil
  }
}
