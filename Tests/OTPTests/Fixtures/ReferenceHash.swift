/// SHA-1, SHA-256 and SHA-512, a slow transcription of FIPS 180-4: the tests' own oracle, which shares nothing with
/// OpenSSL or the engine.
///
/// Words of 32 and of 64 bits are both held in a `UInt64`, since generic code takes minutes in a debug build.
struct ReferenceHash: Sendable {
  let name: String
  let digestByteCount: Int
  let blockByteCount: Int
  private let wordBits: Int
  private let initial: [UInt64]
  private let compress: @Sendable (ReferenceHash, [UInt64], [UInt64]) -> [UInt64]

  func callAsFunction(_ message: [UInt8]) -> [UInt8] {
    let state = blocks(of: message).reduce(initial) { state, block in
      zip(state, compress(self, state, block)).map { ($0 &+ $1) & mask }
    }
    return Array(state.flatMap(bytes).prefix(digestByteCount))
  }

  private var mask: UInt64 { .max >> UInt64(64 - wordBits) }

  private func rotateRight(_ word: UInt64, _ count: Int) -> UInt64 {
    (word &>> UInt64(count) | word &<< UInt64(wordBits - count)) & mask
  }

  private func bytes(of word: UInt64) -> [UInt8] {
    stride(from: wordBits - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
  }

  /// Pads a message (section 5.1) and cuts it into blocks of 16 words.
  private func blocks(of message: [UInt8]) -> [[UInt64]] {
    let wordBytes = wordBits / 8
    var padded = message + [0x80]
    while padded.count % blockByteCount != blockByteCount - 2 * wordBytes { padded.append(0) }
    padded += [UInt8](repeating: 0, count: 2 * wordBytes - 8)
    padded += (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> UInt64(56 - 8 * $0)) }
    return stride(from: 0, to: padded.count, by: blockByteCount).map { block in
      stride(from: block, to: block + blockByteCount, by: wordBytes).map { word in
        padded[word..<word + wordBytes].reduce(0) { $0 << 8 | UInt64($1) }
      }
    }
  }
}

extension ReferenceHash {
  /// Sections 5.3.1 and 6.1.2.
  static let sha1 = ReferenceHash(
    name: "SHA-1", digestByteCount: 20, blockByteCount: 64, wordBits: 32,
    initial: [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
  ) { hash, state, block in
    var w = block
    for t in 16..<80 { w.append(hash.rotateRight(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 31)) }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for t in 0..<80 {
      let (f, k): (UInt64, UInt64) =
        switch t {
        case 0..<20: (b & c ^ ~b & d, 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: (b & c ^ b & d ^ c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let sum = hash.rotateRight(a, 27) &+ (f & hash.mask) &+ e &+ k &+ w[t]
      (a, b, c, d, e) = (sum & hash.mask, a, hash.rotateRight(b, 2), c, d)
    }
    return [a, b, c, d, e]
  }

  /// Sections 5.3.3 and 6.2.2.
  static let sha256 = ReferenceHash(
    name: "SHA-256", digestByteCount: 32, blockByteCount: 64, wordBits: 32, initial: squareRoots.map { $0 >> 32 }
  ) { hash, state, block in
    hash.compressSHA2(
      state, block, constants: constants256, bigSigma0: (2, 13, 22), bigSigma1: (6, 11, 25), sigma0: (7, 18, 3),
      sigma1: (17, 19, 10))
  }

  /// Sections 5.3.5 and 6.4.2.
  static let sha512 = ReferenceHash(
    name: "SHA-512", digestByteCount: 64, blockByteCount: 128, wordBits: 64, initial: squareRoots
  ) { hash, state, block in
    hash.compressSHA2(
      state, block, constants: cubeRoots, bigSigma0: (28, 34, 39), bigSigma1: (14, 18, 41), sigma0: (1, 8, 7),
      sigma1: (19, 61, 6))
  }

  private typealias Amounts = (Int, Int, Int)

  /// What SHA-256 and SHA-512 share: everything but the word size, the constants and the rotations.
  private func compressSHA2(
    _ state: [UInt64], _ block: [UInt64], constants: [UInt64], bigSigma0: Amounts, bigSigma1: Amounts, sigma0: Amounts,
    sigma1: Amounts
  ) -> [UInt64] {
    func big(_ x: UInt64, _ by: Amounts) -> UInt64 {
      rotateRight(x, by.0) ^ rotateRight(x, by.1) ^ rotateRight(x, by.2)
    }
    func small(_ x: UInt64, _ by: Amounts) -> UInt64 {
      rotateRight(x, by.0) ^ rotateRight(x, by.1) ^ x &>> UInt64(by.2)
    }
    var w = block
    for t in 16..<constants.count {
      w.append((small(w[t - 2], sigma1) &+ w[t - 7] &+ small(w[t - 15], sigma0) &+ w[t - 16]) & mask)
    }
    var (a, b, c, d, e, f, g, h) = (state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7])
    for t in constants.indices {
      let choice = e & f ^ ~e & g
      let majority = a & b ^ a & c ^ b & c
      let first = h &+ big(e, bigSigma1) &+ choice &+ constants[t] &+ w[t]
      let second = big(a, bigSigma0) &+ majority
      (a, b, c, d, e, f, g, h) = ((first &+ second) & mask, a, b, c, (d &+ first) & mask, e, f, g)
    }
    return [a, b, c, d, e, f, g, h]
  }

  private static let constants256 = cubeRoots.prefix(64).map { $0 >> 32 }

  private static let primes = (2...409).filter { candidate in (2..<candidate).allSatisfy { candidate % $0 != 0 } }

  /// The first 64 bits of the fractional parts of the square roots of the first 8 primes (section 5.3.5).
  private static let squareRoots = primes.prefix(8).map { fractionOfRoot(of: $0, power: 2) }

  /// The first 64 bits of the fractional parts of the cube roots of the first 80 primes (section 4.2.3).
  private static let cubeRoots = primes.map { fractionOfRoot(of: $0, power: 3) }

  /// Finds the bits of a root, scaled by 2^64, one by one: the largest number whose power does not exceed the scaled
  /// prime.
  private static func fractionOfRoot(of prime: Int, power: Int) -> UInt64 {
    var root: [UInt64] = [0, 0, 0]  // Limbs of 32 bits, the lowest first; the third is the integer part.
    for bit in (0..<69).reversed() {
      var candidate = root
      candidate[bit / 32] |= 1 << UInt64(bit % 32)
      let product = (1..<power).reduce(candidate) { product, _ in multiply(product, candidate) }
      var limit = [UInt64](repeating: 0, count: product.count)
      limit[2 * power] = UInt64(prime)
      guard product == limit || product.reversed().lexicographicallyPrecedes(limit.reversed()) else { continue }
      root = candidate
    }
    return root[1] << 32 | root[0]
  }

  private static func multiply(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var product = [UInt64](repeating: 0, count: left.count + right.count)
    for (i, a) in left.enumerated() {
      var carry: UInt64 = 0
      for (j, b) in right.enumerated() {
        carry += a * b + product[i + j]
        product[i + j] = carry & 0xFFFF_FFFF
        carry >>= 32
      }
      product[i + right.count] = carry
    }
    return product
  }
}
