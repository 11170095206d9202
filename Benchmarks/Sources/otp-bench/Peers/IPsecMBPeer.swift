import CPeers

/// Intel's multi-buffer library: bursts of up to 128 messages.
@safe final class IPsecMBPeer: Peer {
  private let hash: Int32
  let key: UnsafeMutablePointer<peer_ipsec_mb_key>

  init(_ hash: Int32) {
    self.hash = hash
    unsafe key = .allocate(capacity: 1)
    unsafe key.initialize(to: peer_ipsec_mb_key())
  }

  deinit { unsafe key.deallocate() }

  func prepare(_ secret: [UInt8]) { unsafe peer_ipsec_mb_prepare(hash, secret, secret.count, key) }

  func writeValues(from first: UInt64, to values: UnsafeMutableBufferPointer<UInt32>) {
    unsafe peer_ipsec_mb_values(key, first, values.count, values.baseAddress)
  }
}
