import CPeers
import Foundation
import OTP

/// A secret prepared by libotp, this repository's C library, called as a C program would.
@safe final class LibOTP {
  let key: OpaquePointer
  let functions: UnsafePointer<peer_libotp>
  private let secret: UnsafeMutableBufferPointer<UInt8>
  private let window: UnsafeMutablePointer<otp_window>

  /// - Parameter side: The number of steps on each side of the current one.
  init(_ bytes: [UInt8], side: Int = 0) throws {
    var made: OpaquePointer?
    guard let functions = unsafe LibOTP.loaded,
      unsafe functions.pointee.key_create(OTP_SHA1, bytes, bytes.count, &made) == OTP_OK, let made = unsafe made
    else {
      throw WrongAnswer(row: "otp_key_create", subject: "libotp")
    }
    unsafe key = made
    unsafe self.functions = unsafe functions
    unsafe secret = .allocate(capacity: bytes.count)
    _ = unsafe secret.initialize(from: bytes)
    unsafe window = .allocate(capacity: 1)
    unsafe window.initialize(to: .adjacent(side))
  }

  deinit {
    unsafe functions.pointee.key_destroy(key)
    unsafe secret.deallocate()
    unsafe window.deallocate()
  }

  /// Whether a code is accepted, with the kept key.
  func verify(_ code: Text, at time: Int64) -> Bool {
    var match = otp_match.empty
    let status = unsafe functions.pointee.totp_verify(key, code.start, code.count, time, nil, window, &match)
    return status == OTP_OK && match.result == OTP_ACCEPTED
  }

  /// The same from the secret.
  func verifyCold(_ code: Text, at time: Int64) -> Bool {
    var match = otp_match.empty
    let status = unsafe functions.pointee.totp_verify_secret(
      OTP_SHA1, secret.baseAddress, secret.count, code.start, code.count, time, nil, window, &match)
    return status == OTP_OK && match.result == OTP_ACCEPTED
  }

  /// Writes a counter's code into memory for nine characters.
  func writeCode(of counter: UInt64, to text: UnsafeMutablePointer<CChar>) -> Bool {
    unsafe functions.pointee.hotp(key, counter, 6, text) == OTP_OK
  }
}

extension LibOTP {
  /// A C string.
  @safe final class Text {
    let start: UnsafeMutablePointer<CChar>
    let count: Int

    init(_ text: String) {
      count = text.utf8.count
      unsafe start = .allocate(capacity: count + 1)
      for (index, byte) in text.utf8.enumerated() { unsafe start[index] = CChar(bitPattern: byte) }
      unsafe start[count] = 0
    }

    deinit { unsafe start.deallocate() }
  }

  /// Whether the library is available: only the one that OTP_LIBOTP names, if it is set; otherwise the one that `make
  /// libotp` built here, or the system's.
  static let isLoaded = unsafe loaded != nil

  nonisolated(unsafe) private static let loaded: UnsafePointer<peer_libotp>? = {
    if let named = ProcessInfo.processInfo.environment["OTP_LIBOTP"] { return unsafe peer_libotp_load(named) }
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardized
    let built = root.appendingPathComponent(".build-libotp/libotp.so.0").path
    return unsafe peer_libotp_load(built) ?? peer_libotp_load("libotp.so.0")
  }()
}

extension otp_match {
  /// OTP_MATCH_INIT.
  static var empty: otp_match {
    .init(size: MemoryLayout<otp_match>.size, result: OTP_REJECTED, status: OTP_OK, step: 0, offset: 0)
  }
}

extension otp_window {
  static func adjacent(_ side: Int) -> otp_window {
    .init(size: MemoryLayout<otp_window>.size, behind: UInt32(side), ahead: UInt32(side), has_after: 0, after: 0)
  }
}
