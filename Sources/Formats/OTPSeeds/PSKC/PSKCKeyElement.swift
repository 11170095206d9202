import OTP

/// A device, as the container describes it.
struct PSKCDevice {
  var serial: String?
  var user: String?
  var hasDates = false
  var fault: SeedRefusal?

  mutating func read(_ xml: inout XMLReader) throws(SeedRefusal) {
    while let element = try xml.child() {
      switch element.name {
      case "SerialNo" where element.space != .foreign: serial = try xml.readText(.serial, noting: &fault)
      case "UserId" where element.space != .foreign: user = try xml.readText(.account, noting: &fault)
      case "StartDate", "ExpiryDate":
        hasDates = true
        try xml.skip()
      default: try xml.skip()
      }
    }
  }
}

/// A key, as the container describes it, before its values are decrypted. Faults are recorded instead of thrown, so
/// that the whole element is read and the reader can continue with the next one.
struct PSKCKeyElement {
  private let line: Int
  private let id: String?
  private let algorithm: String?
  private var issuer: String?
  private var name: String?
  private var user: String?
  private var suite: String?
  private var digits: String?
  private var values: [SeedRefusal.Field: PSKCValue] = [:]
  private var dropped: [SeedRefusal.Field] = []
  /// Whether the key may be used for codes; `nil` if the container does not say.
  private var isForCodes: Bool?
  private var fault: SeedRefusal?

  init(_ element: XMLElement) {
    line = element.line
    id = element["Id"]
    algorithm = element["Algorithm"]
  }

  private mutating func note(_ field: SeedRefusal.Field, _ reason: SeedRefusal.Reason, _ xml: XMLReader) {
    fault = fault ?? xml.refusal(field, reason)
  }

  private mutating func drop(_ field: SeedRefusal.Field) {
    if !dropped.contains(field) { dropped.append(field) }
  }

  mutating func read(_ xml: inout XMLReader) throws(SeedRefusal) {
    while let element = try xml.child() {
      switch element.name {
      case _ where element.space == .foreign: try xml.skip()
      case "Issuer": issuer = try xml.readText(.issuer, noting: &fault)
      case "FriendlyName":
        // There may be one for each language; the first is used.
        let text = try xml.readText(.record, noting: &fault)
        name = name ?? text
      case "UserId": user = try xml.readText(.account, noting: &fault)
      case "AlgorithmParameters": try readParameters(&xml)
      case "Data": try readData(&xml)
      case "Policy": try readPolicy(&xml)
      case "KeyProfileId", "KeyReference":
        // The key is derived from another one.
        note(.secret, .unsupported, xml)
        try xml.skip()
      default: try xml.skip()
      }
    }
  }

  private mutating func readParameters(_ xml: inout XMLReader) throws(SeedRefusal) {
    while let element = try xml.child() {
      if element.isCalled("Suite") {
        suite = try xml.readText(.algorithm, noting: &fault)
        continue
      }
      if element.isCalled("ResponseFormat") {
        digits = element["Length"]
        let hasCheckDigit = ["CheckDigits", "CheckDigit"].contains { ["true", "1"].contains(element[$0] ?? "") }
        if element["Encoding"] != "DECIMAL" || hasCheckDigit { note(.encoding, .unsupported, xml) }
      }
      try xml.skip()
    }
  }

  private mutating func readData(_ xml: inout XMLReader) throws(SeedRefusal) {
    let fields: [String: SeedRefusal.Field] = [
      "Secret": .secret, "Counter": .counter, "Time": .time, "TimeInterval": .period, "TimeDrift": .drift,
    ]
    while let element = try xml.child() {
      guard element.space != .foreign, let field = fields[element.name] else {
        try xml.skip()
        continue
      }
      if values[field] != nil { note(field, .duplicate, xml) }
      values[field] = try xml.readValue(field, noting: &fault)
    }
  }

  /// Reads what the key may be used for. A policy that is not understood forbids all use (RFC 6030, section 5).
  private mutating func readPolicy(_ xml: inout XMLReader) throws(SeedRefusal) {
    while let element = try xml.child() {
      switch element.name {
      case "StartDate" where element.space != .foreign, "ExpiryDate" where element.space != .foreign:
        drop(.validity)
        try xml.skip()
      case "NumberOfTransactions" where element.space != .foreign:
        drop(.usage)
        try xml.skip()
      case "KeyUsage" where element.space != .foreign:
        let usage = try xml.readText(.usage, noting: &fault)
        isForCodes = isForCodes == true || usage == "OTP"
      case "PINPolicy" where element.space != .foreign:
        // The device asks for a local PIN; any other would be part of the code or of its key.
        if element["PINUsageMode"] == "Local" { drop(.pin) } else { note(.pin, .unsupported, xml) }
        if try xml.child() != nil {
          note(.pin, .unsupported, xml)
          try xml.skip()
          while try xml.child() != nil { try xml.skip() }
        }
      default:
        note(.usage, .unsupported, xml)
        try xml.skip()
      }
    }
  }

  /// The key, with its values decrypted.
  func seed(of device: PSKCDevice, _ protection: PSKCProtection) throws(SeedRefusal) -> Seed {
    let isTOTP: Bool
    switch algorithm {
    case "urn:ietf:params:xml:ns:keyprov:pskc:hotp": isTOTP = false
    case "urn:ietf:params:xml:ns:keyprov:pskc:totp": isTOTP = true
    case nil: throw SeedRefusal(line: line, .type, .missing)
    default: throw SeedRefusal(line: line, .type, .unsupported)
    }
    if let fault = fault ?? device.fault { throw fault }
    guard isForCodes ?? true else { throw SeedRefusal(line: line, .usage, .unsupported) }
    guard let digits else { throw SeedRefusal(line: line, .digits, .missing) }
    guard let value = values[.secret] else { throw SeedRefusal(line: line, .secret, .missing) }
    let hash: HashAlgorithm
    if let suite {
      guard let named = try? HashAlgorithm(name: suite), isTOTP || named == .sha1 else {
        throw SeedRefusal(line: line, .algorithm, .unsupported)
      }
      hash = named
    } else {
      hash = .sha1
    }
    var dropped = dropped
    if device.hasDates, !dropped.contains(.validity) { dropped.append(.validity) }
    let kind: Seed.Kind
    if isTOTP {
      guard let period: Int64 = try number(.period, protection) else {
        throw SeedRefusal(line: line, .period, .missing)
      }
      guard period >= 1 else { throw SeedRefusal(line: line, .period, .outOfRange) }
      // The number of steps that the device had counted when the file was written; only the drift matters.
      if let time: Int64 = try number(.time, protection), time != 0 { dropped.append(.time) }
      kind = .totp(period: period, drift: try number(.drift, protection) ?? 0)
    } else {
      // RFC 6030 requires a counter, but its figure 7 has none. A new device's counter is 0.
      kind = .hotp(counter: try number(.counter, protection) ?? 0)
    }
    return Seed(
      kind, secret: try secret(value, protection), algorithm: hash,
      digits: try Array(digits.utf8).span.digits(line: line),
      serial: device.serial, keyID: id, account: user ?? device.user, issuer: issuer, displayName: name, line: line,
      dropped: dropped)
  }

  private func secret(_ value: PSKCValue, _ protection: PSKCProtection) throws(SeedRefusal) -> OTPSecret {
    let bytes = try protection.open(value, .secret, line: line)
    if case .plain = value.content {
      // Otherwise, an attacker who can change the file could replace an encrypted secret with one that they know.
      guard !protection.hasKey else { throw SeedRefusal(line: line, .encryption, .missing) }
      return try bytes.withBytes { (text) throws(SeedRefusal) in try SecretEncoding.base64.secret(text, line: line) }
    }
    guard bytes.byteCount <= SecretEncoding.maximumByteCount else {
      throw SeedRefusal(line: line, .secret, .tooLong)
    }
    guard let secret = bytes.withBytes({ try? OTPSecret(bytes: $0) }) else {
      throw SeedRefusal(line: line, .secret, .missing)
    }
    return secret
  }

  /// A number: decimal digits if it is plain, big-endian bytes if it is encrypted.
  private func number<N: FixedWidthInteger>(
    _ field: SeedRefusal.Field, _ protection: PSKCProtection
  ) throws(SeedRefusal) -> N? {
    guard let value = values[field] else { return nil }
    return try protection.open(value, field, line: line).withBytes { (bytes) throws(SeedRefusal) in
      if case .plain = value.content { return try bytes.number(field, line: line) }
      // An `int` has four bytes and a `long` eight; some writers leave out leading zeros.
      guard (1...8).contains(bytes.count) else { throw SeedRefusal(line: line, field, .malformed) }
      // If they do, it is unknown whether a drift whose first bit is set is negative.
      let isClear = field != .drift || bytes.count == 4 || bytes[0] < 0x80
      guard isClear else { throw SeedRefusal(line: line, field, .malformed) }
      var number: UInt64 = 0
      for index in bytes.indices { number = number << 8 | UInt64(bytes[index]) }
      let isInt = bytes.count == 4 && N.isSigned
      guard let number = isInt ? N(exactly: Int32(truncatingIfNeeded: number)) : N(exactly: number) else {
        throw SeedRefusal(line: line, field, .outOfRange)
      }
      return number
    }
  }
}

extension XMLReader {
  /// Reads the text of an element, and records what is wrong with it.
  mutating func readText(
    _ field: SeedRefusal.Field, noting fault: inout SeedRefusal?
  ) throws(SeedRefusal) -> String? {
    try readText()
    do throws(SeedRefusal) {
      let line = line
      return try text.withBytes { (text) throws(SeedRefusal) in try text.text(field, line: line) }
    } catch {
      fault = fault ?? error
      return nil
    }
  }
}
