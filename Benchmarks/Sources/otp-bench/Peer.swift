import CPeers
import Foundation
import OTP

/// An alternative from the shared objects that `peers/peer.h` describes, with a key for each of some secrets.
@safe final class Peer {
  let name: String
  private let functions: peer
  private let algorithm: HashAlgorithm
  private let count: Int
  private let secrets: [[UInt8]]
  private let keys: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>
  private let values: UnsafeMutableBufferPointer<UInt32>

  /// The tables in a folder, in the order in which they are shown.
  static func all(in folder: String) throws -> [peer] {
    var found: [peer] = []
    for name in ["libotp", "openssl", "aws-lc", "ipsec-mb", "liboath"] {
      let path = "\(folder)/\(name).so"
      guard FileManager.default.fileExists(atPath: path) else { continue }
      guard let library = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL), let table = unsafe dlsym(library, "peers") else {
        throw unsafe Failure(description: String(cString: dlerror()))
      }
      var next = unsafe table.assumingMemoryBound(to: peer.self)
      while unsafe next.pointee.name != nil {
        found.append(unsafe next.pointee)
        unsafe next += 1
      }
    }
    return found
  }

  /// - Parameter count: How many values it computes at once for each secret.
  init(_ functions: peer, _ algorithm: HashAlgorithm, _ secrets: [[UInt8]], count: Int) {
    unsafe name = String(cString: functions.name)
    self.functions = functions
    (self.algorithm, self.count, self.secrets) = (algorithm, count, secrets)
    unsafe keys = .allocate(capacity: secrets.count)
    unsafe keys.initialize(repeating: nil)
    unsafe values = .allocate(capacity: secrets.count * count)
    prepare()
  }

  private func prepare() {
    guard let prepare = unsafe functions.prepare else { return }
    for index in secrets.indices { unsafe keys[index] = prepare(keys[index], algorithm.tagByteCount, secrets[index]) }
  }

  /// Whether the guess is among each secret's codes, from its own first counter on: all are computed, then compared.
  func finds(_ guess: UInt32, from first: UnsafePointer<UInt64>) -> Bool {
    unsafe functions.values?(keys.baseAddress, first, keys.count, algorithm.tagByteCount, count, values.baseAddress)
    var found = 0
    for index in 0..<secrets.count * count where unsafe values[index] % 1_000_000 == guess { found += 1 }
    return found > 0
  }

  /// Fails unless the peer computes all codes as the reference backend does.
  func check(from first: [UInt64]) throws {
    _ = unsafe finds(0, from: first)
    for (person, secret) in secrets.enumerated() {
      for (index, code) in try Fixtures.codes(secret, algorithm, from: first[person], count: count).enumerated() {
        try require(unsafe values[person * count + index] % 1_000_000 == UInt32(code.description), name)
      }
    }
  }

  typealias Code = (text: [CChar], number: UInt32)
  static func code(_ text: String) -> Code { (Array(text.utf8CString), UInt32(text) ?? .max) }

  /// Its way to verify a code over a window around a step, with the first secret: kept or prepared each time.
  func verifier(_ side: Int, fromSecret: Bool) -> ((Code, _ step: UInt64) -> Bool)? {
    let (secret, side) = (secrets[0], UInt32(side))
    if let verify = unsafe functions.verify_secret, unsafe fromSecret || functions.verify == nil {
      return { unsafe verify(secret.count, secret, $1, side, $0.text) == 1 }
    }
    if let verify = unsafe functions.verify { return { unsafe verify(self.keys[0], $1, side, $0.text) == 1 } }
    guard unsafe functions.values != nil else { return nil }
    return { code, step in
      if fromSecret { self.prepare() }
      var first = step &- UInt64(side)
      return unsafe self.finds(code.number, from: &first)
    }
  }
}
