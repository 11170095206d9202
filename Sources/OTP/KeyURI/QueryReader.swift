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
    let name = try decodeText(parameter.extracting(encodedName), as: .parameter)
    let value = parameter.extracting(encodedValue)
    let known = try KnownParameter(name)
    if let known { try seen.insert(known) }
    if let known, known.applies(to: kind) {
      do throws(OTPError) { try readKnown(known, value) } catch { throw error.within(known.part) }
    } else {
      let value = hasValue ? try decodeText(value, as: .parameter) : nil
      additional.append(OTPAuthURI.Parameter(name: name, value: value))
    }
  }

  private mutating func readKnown(_ parameter: KnownParameter, _ value: Span<UInt8>) throws(OTPError) {
    switch parameter {
    case .secret:
      // Never through a `String`, whose memory is not wiped.
      let text = try PercentEncoding.decodeSecret(value, plusIsSpace: plusIsSpace)
      secret = try text.withBytes { (text) throws(OTPError) in
        try OTPSecret(base32UTF8: text, strict: options.contains(.strictBase32))
      }
    case .issuer:
      issuer = try decodeText(value, as: .issuer)
    case .algorithm:
      algorithm = try HashAlgorithm(name: decodeText(value, as: .algorithm))
    case .digits:
      guard let count = try readNumber(value), count <= 8 else { throw OTPError(.invalidDigits) }
      digits = try OTPCode.Digits(count: Int(count))
    case .period:
      guard let seconds = try readNumber(value), seconds >= 1, seconds <= UInt64(Int64.max) else {
        throw OTPError(.invalidPeriod)
      }
      period = Int64(seconds)
    case .counter:
      guard let number = try readNumber(value) else { throw OTPError(.invalidCounter) }
      counter = number
    }
  }

  private func decodeText(_ text: Span<UInt8>, as part: OTPError.Part) throws(OTPError) -> String {
    do throws(OTPError) {
      return try PercentEncoding.decodeText(text, plusIsSpace: plusIsSpace)
    } catch {
      throw error.within(part)
    }
  }

  private func readNumber(_ value: Span<UInt8>) throws(OTPError) -> UInt64? {
    let text = try PercentEncoding.decodeText(value, plusIsSpace: plusIsSpace)
    return try withUTF8(of: text) { text in text.decimalValue }
  }
}
