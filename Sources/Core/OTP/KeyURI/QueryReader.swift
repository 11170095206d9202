/// Reads the parameters of a key URI.
struct QueryReader {
  private(set) var secret: OTPSecret?
  private(set) var issuer: String?
  private(set) var algorithm: HashAlgorithm?
  private(set) var digits: OTPCode.Digits?
  private(set) var period: Int64?
  private(set) var counter: UInt64?
  private(set) var additional: [OTPAuthURI.Parameter] = []

  private let options: OTPAuthURI.ParsingOptions
  private var seen = KnownParameter.Seen()

  private var plusIsSpace: Bool { options.contains(.plusIsSpace) }

  init(_ query: Span<UInt8>, kind: OTPAuthURI.KindName, options: OTPAuthURI.ParsingOptions) throws(OTPError) {
    self.options = options
    var rest = query.indices
    while !rest.isEmpty {
      let (parameter, next) = query.split(rest, at: 0x26)
      if !parameter.isEmpty { try read(query.extracting(parameter), kind: kind) }
      rest = next
    }
  }

  private mutating func read(_ parameter: Span<UInt8>, kind: OTPAuthURI.KindName) throws(OTPError) {
    let hasValue = parameter.firstIndex(of: 0x3D) != nil
    let (encodedName, encodedValue) = parameter.split(parameter.indices, at: 0x3D)
    let name = parameter.extracting(encodedName)
    let value = parameter.extracting(encodedValue)
    let decodedName = try naming(.parameter) { () throws(OTPError) in try decode(name) }
    if let known = KnownParameter(utf8Name: decodedName.span) {
      try seen.insert(known)
      try naming(known.part) { () throws(OTPError) in try readKnown(known, value) }
      guard !known.applies(to: kind) else { return }
    }
    let additional = try naming(.parameter) { () throws(OTPError) in
      OTPAuthURI.Parameter(name: try decodeText(name), value: hasValue ? try decodeText(value) : nil)
    }
    self.additional.append(additional)
  }

  private mutating func readKnown(_ parameter: KnownParameter, _ value: Span<UInt8>) throws(OTPError) {
    switch parameter {
    case .secret:
      // Never through a `String`, whose memory is not wiped.
      let text = try PercentEncoding.decodeSecret(value, plusIsSpace: plusIsSpace)
      secret = try text.withBytes { (text) throws(OTPError) in
        try OTPSecret(base32UTF8: text, strict: options.contains(.strictBase32))
      }
    case .issuer: issuer = try decodeText(value)
    case .algorithm:
      let name = try decode(value)
      algorithm = try HashAlgorithm(utf8Name: name.span)
    case .digits:
      guard let count = try decodeNumber(value), count <= 8 else { throw OTPError(.invalidDigits) }
      digits = try OTPCode.Digits(count: Int(count))
    case .period:
      guard let seconds = try decodeNumber(value), seconds >= 1, seconds <= UInt64(Int64.max) else {
        throw OTPError(.invalidPeriod)
      }
      period = Int64(seconds)
    case .counter:
      guard let number = try decodeNumber(value) else { throw OTPError(.invalidCounter) }
      counter = number
    }
  }

  private func decode(_ text: Span<UInt8>) throws(OTPError) -> [UInt8] {
    try PercentEncoding.decodeBytes(text, plusIsSpace: plusIsSpace)
  }

  private func decodeNumber(_ text: Span<UInt8>) throws(OTPError) -> UInt64? {
    let digits = try decode(text)
    return digits.span.decimalValue
  }

  private func decodeText(_ text: Span<UInt8>) throws(OTPError) -> String {
    try PercentEncoding.decodeText(text, plusIsSpace: plusIsSpace)
  }
}

/// Runs a closure that reads one part of a URI, and adds the part to its error.
func naming<R>(_ part: OTPError.Part, _ body: () throws(OTPError) -> R) throws(OTPError) -> R {
  do throws(OTPError) { return try body() } catch { throw error.within(part) }
}
