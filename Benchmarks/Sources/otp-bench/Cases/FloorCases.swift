import COTPSupport
import OTP

/// `floor/<hash>/lanes`: the bare compression function of the kernel that takes the least time a block. A code is two
/// blocks: nothing that is built on the kernels can be faster than two of these.
enum FloorCases {
  static var all: [Case] { HashAlgorithm.allCases.map(floor) }

  private static func floor(_ algorithm: HashAlgorithm) -> Case {
    let row = "floor/\(algorithm.rowName)/lanes"
    return Case(name: row, unit: "block") {
      let hash = otp_kernel_hash(rawValue: UInt32(algorithm.peerHash))
      guard let plan = unsafe otp_lanes_plan(OTP_LANES_FASTEST, hash) else { return [] }
      // The one for many codes: it takes the least time a block.
      let kernel = unsafe otp_lanes_kernel_count(plan) - 1
      let width = unsafe otp_lanes_kernel_width(plan, kernel)
      let wordBytes = algorithm == .sha512 ? 8 : 4
      let states = UnsafeMutableRawPointer.allocate(byteCount: 8 * width * wordBytes, alignment: 64)
      let blocks = UnsafeMutableRawPointer.allocate(byteCount: 16 * width * wordBytes, alignment: 64)
      unsafe states.initializeMemory(as: UInt8.self, repeating: 1, count: 8 * width * wordBytes)
      unsafe blocks.initializeMemory(as: UInt8.self, repeating: 2, count: 16 * width * wordBytes)
      return [
        Subject("swift-otp", operationsPerCall: width) { _ in
          // Each call's states are the next one's.
          unsafe otp_lanes_compress(plan, kernel, states, blocks)
        }
      ]
    }
  }
}
