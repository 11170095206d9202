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
}

extension LibOTP {
  /// A user's factor.
  @safe final class Record {
    private static let subject = Array("user 42".utf8)

    private let functions: UnsafePointer<peer_libotp>
    private let keyring: OpaquePointer
    private let column: [UInt8]
    private let room: UnsafeMutablePointer<UInt8>
    private let answer = UnsafeMutablePointer<otp_answer>.allocate(capacity: 1)

    init(secret: [UInt8], at time: Int64) throws {
      var keyring: OpaquePointer?
      var length = Int(OTP_RECORD_MAX)
      let name = Array("2026-11".utf8)
      let room = UnsafeMutablePointer<UInt8>.allocate(capacity: length)
      guard let functions = unsafe LibOTP.loaded else { throw WrongAnswer(row: "record", subject: "libotp") }
      let isMade = unsafe name.withUnsafeBytes { name in
        unsafe secret.withUnsafeBufferPointer { secret in
          // Any 32 bytes will do as the key.
          let key = [UInt8](repeating: 7, count: 32)
          return unsafe key.withUnsafeBufferPointer { key in
            var named = unsafe otp_named_key(
              size: MemoryLayout<otp_named_key>.size, name: name.assumingMemoryBound(to: CChar.self).baseAddress,
              name_len: name.count, key: key.baseAddress, key_len: 32)
            var enrollment = unsafe otp_enrollment(
              size: MemoryLayout<otp_enrollment>.size, type: OTP_TOTP, hash: OTP_SHA1, digits: 6, period: 30, t0: 0,
              counter: 0, secret: secret.baseAddress, secret_len: secret.count, is_confirmed: 1, has_after: 0, after: 0)
            return unsafe functions.pointee.keyring_create(&named, 1, &keyring) == OTP_OK
              && functions.pointee.record_enroll(
                keyring, Self.subject, Self.subject.count, &enrollment, nil, 0, time, room, &length) == OTP_OK
          }
        }
      }
      guard isMade, let keyring = unsafe keyring else { throw WrongAnswer(row: "record", subject: "libotp") }
      unsafe self.keyring = keyring
      unsafe self.functions = functions
      unsafe self.room = room
      unsafe answer.initialize(to: otp_answer())
      unsafe column = Array(UnsafeBufferPointer(start: room, count: length))
    }

    func verify(_ code: Text, at time: Int64) -> otp_answer_kind {
      unsafe answer.pointee.size = MemoryLayout<otp_answer>.size
      var length = Int(OTP_RECORD_MAX)
      let status = unsafe functions.pointee.record_verify(
        keyring, Self.subject, Self.subject.count, column, column.count, code.start, code.count, time, nil, room,
        &length, answer)
      return status == OTP_OK ? unsafe answer.pointee.kind : OTP_ANSWER_LOCKED
    }
  }

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
