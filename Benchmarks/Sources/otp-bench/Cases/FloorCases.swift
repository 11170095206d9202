import COTPSupport
import CPorts
import OTP

/// The lower bounds, per block, of everything built on the kernels: a code is two blocks.
///
/// - `floor/<hash>/lanes`: the bare compression function of the kernel that is fastest per block.
/// - `floor/<hash>/ports`: the limit that the CPU's execution ports set for that function: the fewest additions,
///   logical operations and rotations that a block needs, in the CPU's widest vectors, without dependencies. A kernel
///   with instructions made for the hash, such as the SHA extensions, can take less.
enum FloorCases {
  static var all: [Case] { HashAlgorithm.allCases.flatMap { [lanes($0), ports($0)] } }

  private static func lanes(_ algorithm: HashAlgorithm) -> Case {
    let row = "floor/\(algorithm.rowName)/lanes"
    return Case(name: row, unit: "block") {
      let hash = otp_kernel_hash(rawValue: UInt32(algorithm.peerHash))
      guard let plan = unsafe otp_lanes_plan(OTP_LANES_FASTEST, hash) else { return [] }
      // The kernel for many codes, which is the fastest per block.
      let kernel = unsafe otp_lanes_kernel_count(plan) - 1
      let width = unsafe otp_lanes_kernel_width(plan, kernel)
      let wordBytes = algorithm == .sha512 ? 8 : 4
      let states = UnsafeMutableRawPointer.allocate(byteCount: 8 * width * wordBytes, alignment: 64)
      let blocks = UnsafeMutableRawPointer.allocate(byteCount: 16 * width * wordBytes, alignment: 64)
      unsafe states.initializeMemory(as: UInt8.self, repeating: 1, count: 8 * width * wordBytes)
      unsafe blocks.initializeMemory(as: UInt8.self, repeating: 2, count: 16 * width * wordBytes)
      return [
        Subject("swift-otp", operationsPerCall: width) { _ in
          // Each call's resulting states are the next call's inputs.
          unsafe otp_lanes_compress(plan, kernel, states, blocks)
        }
      ]
    }
  }

  private static func ports(_ algorithm: HashAlgorithm) -> Case {
    let row = "floor/\(algorithm.rowName)/ports"
    return Case(name: row, unit: "block") {
      let hash: Int32 = [1, 256, 512][Int(algorithm.peerHash)]
      let width = ports_lanes(hash)
      guard width > 0 else { return [] }
      return [Subject("machine", operationsPerCall: width) { _ in ports_block(hash) }]
    }
  }
}
