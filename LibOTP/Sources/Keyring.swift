// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import FactorRecord
internal import Keyring
internal import OTP

/// An `otp_keyring *` points to a `RecordKeyring`; C holds a reference to it.
final class RecordKeyring {
  /// `nil` if records are not sealed.
  let keyring: Keyring?

  init(_ keyring: Keyring?) { self.keyring = keyring }

  /// The keyring behind a pointer from C, whose reference keeps it alive.
  ///
  /// - Throws: `OTP_INVALID_ARGUMENT` for NULL.
  static func lent(_ keyring: OpaquePointer?) throws(CallError) -> RecordKeyring {
    guard let keyring = unsafe keyring else { throw CallError(OTP_INVALID_ARGUMENT) }
    return unsafe Unmanaged<RecordKeyring>.fromOpaque(UnsafeRawPointer(keyring)).takeUnretainedValue()
  }

  /// Hands a new keyring to C.
  static func create(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ make: () throws(CallError) -> Keyring?
  ) -> otp_status {
    call { () throws(CallError) in
      let out = try unsafe required(out)
      do throws(CallError) {
        let keyring = RecordKeyring(try make())
        unsafe out.pointee = OpaquePointer(Unmanaged.passRetained(keyring).toOpaque())
      } catch {
        unsafe out.pointee = nil
        throw error
      }
    }
  }
}

@c @implementation
public func otp_keyring_create(
  _ keys: UnsafePointer<otp_named_key>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> otp_status {
  unsafe RecordKeyring.create(out) { () throws(CallError) in
    // Before the first key is read: other languages' empty arrays have pointers that must not be.
    guard 1...64 ~= count else { throw CallError(OTP_INVALID_ARGUMENT) }
    let first = try unsafe required(keys)
    let size = try unsafe first.checkedSize()
    var named: [Keyring.Key] = []
    for index in 0..<count {
      let key = unsafe (UnsafeRawPointer(first) + index * size).assumingMemoryBound(to: otp_named_key.self)
      guard unsafe key.pointee.size == size else { throw CallError(OTP_INVALID_ARGUMENT) }
      named.append(try unsafe Keyring.Key(key.checked()))
    }
    return try keyring { () throws(KeyringError) in
      try Keyring.sealing(activeKey: named[0], otherKeys: Array(named.dropFirst()))
    }
  }
}

@c @implementation
public func otp_keyring_open(
  _ path: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> otp_status {
  unsafe RecordKeyring.create(out) { () throws(CallError) in
    let path = try unsafe required(path)
    return try keyring { () throws(KeyringError) in try unsafe Keyring.reading(path) }
  }
}

@c @implementation
public func otp_keyring_create_file(_ path: UnsafePointer<CChar>?) -> otp_status {
  call { () throws(CallError) in
    let path = try unsafe required(path)
    let isNew = try keyring { () throws(KeyringError) in try unsafe Keyring.write(new: path) }
    guard isNew else { throw CallError(OTP_KEYRING_EXISTS) }
  }
}

@c @implementation
public func otp_keyring_create_unsealed(_ out: UnsafeMutablePointer<OpaquePointer?>?) -> otp_status {
  unsafe RecordKeyring.create(out) { nil }
}

@c @implementation
public func otp_keyring_destroy(_ keyring: OpaquePointer?) {
  guard let keyring = unsafe keyring else { return }
  unsafe Unmanaged<RecordKeyring>.fromOpaque(UnsafeRawPointer(keyring)).release()
}

extension Keyring.Key {
  fileprivate init(_ key: otp_named_key) throws(CallError) {
    let name = try unsafe bytes(key.name, key.name_len)
    let secret = try unsafe bytes(key.key, key.key_len)
    guard let name = unsafe String(validUTF8: name.span) else { throw CallError(OTP_INVALID_KEY_NAME) }
    guard let secret = unsafe try? OTPSecret(bytes: secret.span) else { throw CallError(OTP_INVALID_KEY) }
    self = try keyring { () throws(KeyringError) in try Keyring.Key(name: name, secret: secret) }
  }
}

/// Runs a closure that uses the keyring, and turns its errors into statuses.
private func keyring<R>(_ body: () throws(KeyringError) -> R) throws(CallError) -> R {
  do throws(KeyringError) { return try body() } catch {
    let status: otp_status =
      switch error.kind {
      case .cannotRead: OTP_KEYRING_UNREADABLE
      case .cannotWrite: OTP_KEYRING_UNWRITABLE
      case .readableByOthers: OTP_KEYRING_READABLE_BY_OTHERS
      case .corrupt: OTP_KEYRING_CORRUPT
      case .invalidName: OTP_INVALID_KEY_NAME
      case .invalidKey: OTP_INVALID_KEY
      case .duplicateName: OTP_DUPLICATE_KEY_NAME
      case .randomnessUnavailable: OTP_RANDOMNESS_UNAVAILABLE
      case .cryptographyFailed: OTP_CRYPTOGRAPHY_FAILED
      default: OTP_KEYRING_MALFORMED
      }
    throw CallError(status)
  }
}
