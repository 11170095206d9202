// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import OTP

@c @implementation
public func otp_uri_build(
  _ uri: UnsafePointer<otp_uri>?, _ flags: UInt32, _ out: UnsafeMutablePointer<CChar>?,
  _ out_len: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<otp_error_info>?
) -> otp_status {
  call { () throws(CallError) in
    guard flags & ~OTP_URI_WRITE_DEFAULTS == 0 else { throw CallError(OTP_INVALID_ARGUMENT) }
    let fields = try unsafe required(uri).checked()
    let outLength = try unsafe required(out_len)
    let room = try unsafe room(out, outLength.pointee)
    try unsafe checkApart(error, room, outLength)

    let algorithm = try unsafe HashAlgorithm(fields.hash)
    let digits = unsafe OTPCode.Digits(rawValue: Int(fields.digits))
    let secret = try unsafe bytes(fields.secret, fields.secret_len)
    let account = try unsafe bytes(fields.account, fields.account_len)
    let issuer = try unsafe bytes(fields.issuer, fields.issuer_len)
    let kind: OTPAuthURI.Kind =
      switch unsafe fields.type {
      case OTP_TOTP: unsafe .totp(period: fields.period)
      case OTP_HOTP: unsafe .hotp(counter: fields.counter)
      default: throw CallError(OTP_INVALID_ARGUMENT)
      }
    let writesDefaults = flags & OTP_URI_WRITE_DEFAULTS != 0
    let key = try unsafe engine(error) { () throws(OTPError) in
      guard let digits else { throw OTPError(.invalidDigits, part: .digits) }
      guard !secret.isEmpty else { throw OTPError(.emptySecret, part: .secret) }
      return try unsafe OTPAuthURI(
        kind, secret: OTPSecret(bytes: secret.span), issuer: String(validUTF8: issuer.span, part: .issuer),
        account: String(validUTF8: account.span, part: .account), algorithm: algorithm, digits: digits)
    }
    let count = try unsafe engine(error) { () throws(OTPError) in try key.uriByteCount(writingDefaults: writesDefaults)
    }
    let place = try unsafe room.place(of: count, terminator: 1, telling: outLength)
    unsafe key.writeURI(writingDefaults: writesDefaults, to: UnsafeMutableBufferPointer(rebasing: place[..<count]))
    unsafe place[count] = 0
    unsafe outLength.pointee = count
  }
}

@c @implementation
public func otp_uri_parse(
  _ text: UnsafePointer<CChar>?, _ text_len: Int, _ flags: UInt32, _ out: UnsafeMutablePointer<otp_uri>?,
  _ memory: UnsafeMutableRawPointer?, _ memory_len: Int, _ error: UnsafeMutablePointer<otp_error_info>?
) -> otp_status {
  call { () throws(CallError) in
    let options = try OTPAuthURI.ParsingOptions(flags: flags)
    let text = try unsafe bytes(text, text_len)
    let out = try unsafe required(out)
    let size = try unsafe out.writableSize()
    let room = try unsafe room(memory, memory_len)
    try unsafe checkApart(error, room, out, size)
    let key = try unsafe engine(error) { () throws(OTPError) in try unsafe OTPAuthURI(utf8: text.span, options: options)
    }

    var store = try unsafe TextStore(room, for: key, apartFrom: out, size)
    var fields = unsafe otp_uri()
    switch key.kind {
    case .totp(let period):
      unsafe fields.type = OTP_TOTP
      unsafe fields.period = period
    case .hotp(let counter):
      unsafe fields.type = OTP_HOTP
      unsafe fields.counter = counter
    }
    unsafe fields.hash = key.algorithm.hash
    unsafe fields.digits = UInt32(key.digits.rawValue)
    (unsafe fields.secret, unsafe fields.secret_len) = try unsafe store.put(key.secret)
    (unsafe fields.account, unsafe fields.account_len) = try unsafe store.put(key.account)
    (unsafe fields.issuer, unsafe fields.issuer_len) = try unsafe store.put(key.issuer)
    (unsafe fields.label_issuer, unsafe fields.label_issuer_len) = try unsafe store.put(key.labelIssuer)
    unsafe out.write(fields, size: size)
  }
}

extension OTPAuthURI.ParsingOptions {
  fileprivate init(flags: UInt32) throws(CallError) {
    let known: [(UInt32, OTPAuthURI.ParsingOptions)] = [
      (OTP_URI_PLUS_IS_SPACE, .plusIsSpace), (OTP_URI_MISSING_COUNTER_IS_ZERO, .missingCounterIsZero),
      (OTP_URI_STRICT_BASE32, .strictBase32),
    ]
    self = []
    var rest = flags
    for (flag, option) in known where flags & flag != 0 {
      formUnion(option)
      rest &= ~flag
    }
    guard rest == 0 else { throw CallError(OTP_INVALID_ARGUMENT) }
  }
}

/// Puts bytes and texts one after another into the caller's memory, each followed by a NUL.
@unsafe private struct TextStore {
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private var used = 0

  /// - Parameters:
  ///   - out: The other output of the call, which must not overlap the memory.
  ///   - outCount: The size of `out`.
  /// - Throws: `OTP_OUTPUT_TOO_SHORT` or `OTP_INVALID_ARGUMENT`, before anything is written, so that no part of the
  ///   secret is left behind.
  init(
    _ memory: UnsafeMutableBufferPointer<UInt8>, for key: OTPAuthURI, apartFrom out: UnsafeRawPointer, _ outCount: Int
  ) throws(CallError) {
    var needed = key.secret.byteCount + 1 + key.account.utf8.count + 1
    if let issuer = key.issuer { needed += issuer.utf8.count + 1 }
    if let issuer = key.labelIssuer { needed += issuer.utf8.count + 1 }
    guard memory.count >= needed else { throw CallError(OTP_OUTPUT_TOO_SHORT) }
    guard unsafe !overlap(memory.baseAddress, needed, out, outCount) else { throw CallError(OTP_INVALID_ARGUMENT) }
    unsafe self.memory = memory
  }

  private mutating func reserve(_ count: Int) throws(CallError) -> UnsafeMutableBufferPointer<UInt8> {
    guard unsafe count < (unsafe memory.count) - used else { throw CallError(OTP_OUTPUT_TOO_SHORT) }
    defer { unsafe used += count + 1 }
    unsafe memory[used + count] = 0
    return unsafe UnsafeMutableBufferPointer(rebasing: memory[used..<used + count])
  }

  mutating func put(_ secret: OTPSecret) throws(CallError) -> (UnsafePointer<UInt8>?, Int) {
    let place = try unsafe reserve(secret.byteCount)
    secret.withBytes { bytes in
      unsafe place.copy(bytes)
    }
    return unsafe (UnsafePointer(place.baseAddress), place.count)
  }

  mutating func put(_ text: String?) throws(CallError) -> (UnsafePointer<CChar>?, Int) {
    guard let text else { return (nil, 0) }
    let place = try unsafe reserve(text.utf8.count)
    for (index, byte) in zip(place.indices, text.utf8) { unsafe place[index] = byte }
    return unsafe (UnsafeRawPointer(place.baseAddress)?.assumingMemoryBound(to: CChar.self), place.count)
  }
}
