import Keyring
import OTP

// A record's content: the article RecordFormat has the layout. If it changes, so does the version.
extension FactorRecord {
  /// Writes everything but version, kind and former secrets.
  package func encode(to writer: inout ByteWriter) {
    writer.append(isPending)
    writer.append(enrollmentMilliseconds)
    attempts.encode(to: &writer)
    writer.append(lastAccepted) { writer, movingFactor in writer.append(movingFactor) }
    writer.append(hasAccepted)
    writer.append(Int64(drift.found))
    writer.append(Int64(drift.learned))
    writer.append(lossTime) { writer, time in writer.append(time) }
    switch content {
    case .secret(let secret): secret.encode(to: &writer)
    case .recoveryCodes(let codes):
      writer.append(UInt8(clamping: codes.count))
      for code in codes {
        writer.append(code.number | (code.isUsed ? RecoveryCode.usedBit : 0))
        writer.append(code.tag)
      }
    }
  }

  /// Reads what ``encode(to:)`` writes.
  ///
  /// - Throws: `KeyringError` with `malformed`.
  package init(_ kind: Kind, from reader: inout ByteReader) throws(KeyringError) {
    isPending = try reader.readBool()
    enrollmentMilliseconds = try reader.readInt64()
    attempts = try Attempts(from: &reader)
    lastAccepted = try reader.readOptional { (reader) throws(KeyringError) in try reader.readUInt64() }
    hasAccepted = try reader.readBool()
    drift = Drift(found: try Self.readSteps(from: &reader), learned: try Self.readSteps(from: &reader))
    lossTime = try reader.readOptional { (reader) throws(KeyringError) in try reader.readInt64() }
    switch kind {
    case .totp, .hotp: content = .secret(try FactorSecret(isTimeBased: kind == .totp, from: &reader))
    case .recoveryCodes:
      var codes: [RecoveryCode] = []
      for _ in 0..<(try reader.readUInt8()) {
        let (byte, tag) = (try reader.readUInt8(), try reader.readBytes())
        let number = byte & ~RecoveryCode.usedBit
        guard tag.count == RecoveryCode.tagByteCount, RecoveryCode.numbers ~= number,
          codes.last.map({ $0.number < number }) ?? true
        else { throw KeyringError(.malformed) }
        codes.append(RecoveryCode(number: number, tag: tag, isUsed: byte != number))
      }
      content = .recoveryCodes(codes)
    }
  }

  /// Reads a number of steps. No search goes as far as what is refused.
  private static func readSteps(from reader: inout ByteReader) throws(KeyringError) -> Int {
    let steps = try reader.readInt64()
    guard -10_000...10_000 ~= steps else { throw KeyringError(.malformed) }
    return Int(steps)
  }
}

extension FactorSecret {
  private func code(of algorithm: HashAlgorithm) -> UInt8 {
    switch algorithm {
    case .sha1: 0
    case .sha256: 1
    case .sha512: 2
    }
  }

  /// Writes everything but the kind.
  package func encode(to writer: inout ByteWriter) {
    writer.append(code(of: algorithm))
    writer.append(UInt8(digits.rawValue))
    writer.append(timeStep.period)
    writer.append(timeStep.t0)
    secret.withBytes { bytes in writer.append(bytes) }
  }

  /// Reads what ``encode(to:)`` writes.
  package init(isTimeBased: Bool, from reader: inout ByteReader) throws(KeyringError) {
    self.isTimeBased = isTimeBased
    algorithm =
      switch try reader.readUInt8() {
      case 0: .sha1
      case 1: .sha256
      case 2: .sha512
      default: throw KeyringError(.malformed)
      }
    let (digits, period, t0) = (try reader.readUInt8(), try reader.readInt64(), try reader.readInt64())
    guard let digits = OTPCode.Digits(rawValue: Int(digits)), let timeStep = try? TimeStep(period: period, t0: t0)
    else {
      throw KeyringError(.malformed)
    }
    let bytes = try reader.readSecretBytes()
    guard let secret = try? OTPSecret(bytes) else { throw KeyringError(.malformed) }
    self.digits = digits
    self.timeStep = timeStep
    self.secret = secret
  }
}

extension Attempts {
  /// Writes the attempts.
  package func encode(to writer: inout ByteWriter) {
    writer.append(failures)
    writer.append(acceptances)
    writer.append(latest) { writer, time in writer.append(time) }
  }

  /// Reads what ``encode(to:)`` writes.
  package init(from reader: inout ByteReader) throws(KeyringError) {
    failures = try reader.readUInt64()
    acceptances = try reader.readUInt64()
    latest = try reader.readOptional { (reader) throws(KeyringError) in try reader.readInt64() }
  }
}

extension [SpentSecret] {
  /// Writes former secrets.
  func encode(to writer: inout ByteWriter) {
    writer.append(UInt8(clamping: count))
    for spent in self {
      writer.append(spent.fingerprint)
      writer.append(spent.lastAccepted)
    }
  }

  /// Reads what ``encode(to:)`` writes.
  init(from reader: inout ByteReader) throws(KeyringError) {
    self = []
    let count = try reader.readUInt8()
    guard 1...UInt8(FactorRecord.maximumSpentSecretCount) ~= count else { throw KeyringError(.malformed) }
    for _ in 0..<count {
      let spent = SpentSecret(fingerprint: try reader.readBytes(), lastAccepted: try reader.readUInt64())
      guard spent.fingerprint.count == SpentSecret.fingerprintByteCount else { throw KeyringError(.malformed) }
      append(spent)
    }
  }
}
