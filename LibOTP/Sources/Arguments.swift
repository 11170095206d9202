public import COTP
internal import OTP

// Arguments from C, checked and converted to what the engine takes.

/// The largest length that is accepted: no memory can hold it, and the engine can multiply it without an overflow.
var largestCount: Int { Int.max >> 8 }

/// The bytes at a pointer, which may be NULL if the length is 0.
///
/// - Throws: `OTP_INVALID_ARGUMENT` for NULL with another length, and for an impossible length.
@inline(__always)
func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(CallError) -> UnsafeBufferPointer<UInt8> {
  guard count >= 0, count <= largestCount, unsafe start != nil || count == 0 else {
    throw CallError(OTP_INVALID_ARGUMENT)
  }
  return unsafe UnsafeBufferPointer(start: start, count: count)
}

/// The bytes of a text.
@inline(__always)
func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) throws(CallError) -> UnsafeBufferPointer<UInt8> {
  try unsafe bytes(UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self), count)
}

/// The caller's memory for a result.
@inline(__always)
func room(_ start: UnsafeMutableRawPointer?, _ count: Int) throws(CallError) -> UnsafeMutableBufferPointer<UInt8> {
  guard count >= 0, count <= largestCount, unsafe start != nil || count == 0 else {
    throw CallError(OTP_INVALID_ARGUMENT)
  }
  return unsafe UnsafeMutableBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
}

/// Whether two pieces of memory overlap.
@inline(__always)
func overlap(
  _ first: UnsafeRawPointer?, _ firstCount: Int, _ second: UnsafeRawPointer?, _ secondCount: Int
) -> Bool {
  let (first, second) = (UInt(bitPattern: first), UInt(bitPattern: second))
  // No memory ends beyond the last address. If a sum wraps, the length is refused anyway.
  return first < second &+ UInt(bitPattern: secondCount) && second < first &+ UInt(bitPattern: firstCount)
    && firstCount != 0 && secondCount != 0
}

/// Checks that the details of an error, if there are any, overlap no other output of the call.
///
/// - Throws: `OTP_INVALID_ARGUMENT`.
func checkApart<T>(
  _ info: UnsafeMutablePointer<otp_error_info>?, _ room: UnsafeMutableBufferPointer<UInt8>, _ other: UnsafePointer<T>,
  _ otherCount: Int = MemoryLayout<T>.size
) throws(CallError) {
  guard let info = unsafe info else { return }
  let size = try unsafe info.writableSize()
  guard unsafe !overlap(info, size, room.baseAddress, room.count), unsafe !overlap(info, size, other, otherCount) else {
    throw CallError(OTP_INVALID_ARGUMENT)
  }
}

/// A pointer that must not be NULL.
@inline(__always)
func required<T>(_ pointer: UnsafePointer<T>?) throws(CallError) -> UnsafePointer<T> {
  guard let pointer = unsafe pointer else { throw CallError(OTP_INVALID_ARGUMENT) }
  return unsafe pointer
}

/// A pointer that must not be NULL.
@inline(__always)
func required<T>(_ pointer: UnsafeMutablePointer<T>?) throws(CallError) -> UnsafeMutablePointer<T> {
  guard let pointer = unsafe pointer else { throw CallError(OTP_INVALID_ARGUMENT) }
  return unsafe pointer
}

extension HashAlgorithm {
  @inline(__always)
  init(_ hash: otp_hash) throws(CallError) {
    switch hash {
    case OTP_SHA1: self = .sha1
    case OTP_SHA256: self = .sha256
    case OTP_SHA512: self = .sha512
    default: throw CallError(OTP_INVALID_ARGUMENT)
    }
  }

  var hash: otp_hash {
    switch self {
    case .sha1: OTP_SHA1
    case .sha256: OTP_SHA256
    case .sha512: OTP_SHA512
    }
  }
}

extension OTPCode.Digits {
  @inline(__always)
  init(_ digits: UInt32) throws(CallError) {
    guard let digits = OTPCode.Digits(rawValue: Int(digits)) else { throw CallError(OTP_INVALID_DIGITS) }
    self = digits
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// The part of the memory for a result.
  ///
  /// - Parameters:
  ///   - resultCount: The length of the result.
  ///   - terminator: How many more bytes there must be.
  ///   - length: Receives the length of the result if there is not enough room.
  /// - Throws: `OTP_OUTPUT_TOO_SHORT`, or `OTP_INVALID_ARGUMENT` if the result and the length overlap.
  func place(
    of resultCount: Int, terminator: Int = 0, telling length: UnsafeMutablePointer<Int>
  ) throws(CallError) -> UnsafeMutableBufferPointer<UInt8> {
    guard count - terminator >= resultCount else {
      unsafe length.pointee = resultCount
      throw CallError(OTP_OUTPUT_TOO_SHORT)
    }
    let place = unsafe UnsafeMutableBufferPointer(rebasing: self[..<(resultCount + terminator)])
    guard unsafe !overlap(place.baseAddress, place.count, length, MemoryLayout<Int>.size) else {
      throw CallError(OTP_INVALID_ARGUMENT)
    }
    return unsafe place
  }

  /// Writes a result and its length.
  ///
  /// - Throws: As ``place(of:terminator:telling:)`` does.
  func put(
    _ result: Span<UInt8>, telling length: UnsafeMutablePointer<Int>
  ) throws(CallError) {
    let place = try unsafe place(of: result.count, telling: length)
    unsafe place.copy(result)
    unsafe length.pointee = result.count
  }
}
