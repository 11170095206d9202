import CPeers
import OTP

/// Another way to compute truncated values (RFC 4226, section 5.3), prepared for one secret at a time.
protocol Peer: AnyObject {
  /// Prepares a secret, which is the cost for a secret that is used for the first time.
  func prepare(_ secret: [UInt8])

  /// Writes the truncated values of consecutive counters.
  func writeValues(from first: UInt64, to values: UnsafeMutableBufferPointer<UInt32>)
}

extension Peer {
  /// Whether a counter around a step has this code: all values are computed, then each is compared.
  func verify(_ code: UInt32, modulus: UInt32, from first: UInt64, count: Int) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: count) { values in
      unsafe writeValues(from: first, to: values)
      var isFound = false
      for index in values.indices where unsafe values[index] % modulus == code { isFound = true }
      return isFound
    }
  }
}

/// The peers that compute values, by the names of their rows.
enum Peers {
  static func all(for algorithm: HashAlgorithm) -> [(name: String, peer: any Peer)] {
    let hash = algorithm.peerHash
    var peers: [(String, any Peer)] = [
      ("HMAC()", OneshotPeer(hash)), ("EVP_MAC", EVPPeer(hash)), ("midstate", MidstatePeer(hash)),
    ]
    if let ipsecMB { peers.append((ipsecMB, IPsecMBPeer(hash))) }
    return peers
  }

  /// The name with the version, or `nil` if it is not there.
  static let ipsecMB = unsafe peer_ipsec_mb_load().map { unsafe "ipsec-mb \(String(cString: $0))" }
  static let liboath = unsafe peer_liboath_load().map { unsafe "liboath \(String(cString: $0))" }
}

extension HashAlgorithm {
  /// The number that stands for the hash in the peers.
  var peerHash: Int32 {
    switch self {
    case .sha1: 0
    case .sha256: 1
    case .sha512: 2
    }
  }
}
