import CPeers

/// `HMAC()` for every code.
final class OneshotPeer: Peer {
  private let hash: Int32
  private var secret: [UInt8] = []

  init(_ hash: Int32) { self.hash = hash }

  func prepare(_ secret: [UInt8]) { self.secret = secret }

  func writeValues(from first: UInt64, to values: UnsafeMutableBufferPointer<UInt32>) {
    unsafe peer_openssl_oneshot(hash, secret, secret.count, first, values.count, values.baseAddress)
  }
}

/// `EVP_MAC` with a kept context. If OpenSSL cannot make one, no value is written, which the check of results notices.
@safe final class EVPPeer: Peer {
  private let key: OpaquePointer?

  init(_ hash: Int32) { unsafe key = peer_openssl_evp_create(hash, [1], 1) }

  deinit { if let key = unsafe key { unsafe peer_openssl_evp_destroy(key) } }

  func prepare(_ secret: [UInt8]) {
    if let key = unsafe key { unsafe peer_openssl_evp_rekey(key, secret, secret.count) }
  }

  func writeValues(from first: UInt64, to values: UnsafeMutableBufferPointer<UInt32>) {
    if let key = unsafe key { unsafe peer_openssl_evp_values(key, first, values.count, values.baseAddress) }
  }
}

/// Hash contexts that have absorbed the pads, copied for each code.
final class MidstatePeer: Peer {
  private let hash: Int32
  private var key = peer_openssl_midstate()

  init(_ hash: Int32) { self.hash = hash }

  func prepare(_ secret: [UInt8]) { unsafe peer_openssl_midstate_prepare(hash, secret, secret.count, &key) }

  func writeValues(from first: UInt64, to values: UnsafeMutableBufferPointer<UInt32>) {
    unsafe peer_openssl_midstate_values(&key, first, values.count, values.baseAddress)
  }
}
