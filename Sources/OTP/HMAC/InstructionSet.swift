internal import COTPSupport

extension HMACBackend {
  /// The instruction sets that the backend ``HMACBackend/lanes`` has kernels for. More may come.
  public struct InstructionSet: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case portable, shaNI, avx2, avx512, shaARM, sha512ARM
      /// Every number of codes by the set that is the fastest at it.
      case fastest
    }

    let kind: Kind

    /// 128-bit vectors of the compiler's own, SSE2 or NEON: on every CPU.
    public static var portable: InstructionSet { InstructionSet(kind: .portable) }
    /// The SHA extensions of x86-64, a code at a time. SHA-512 is computed as with ``portable``.
    public static var shaNI: InstructionSet { InstructionSet(kind: .shaNI) }
    /// 256-bit vectors.
    public static var avx2: InstructionSet { InstructionSet(kind: .avx2) }
    /// 512-bit vectors, and 256-bit ones for a few codes.
    public static var avx512: InstructionSet { InstructionSet(kind: .avx512) }

    /// ARMv8's instructions for SHA-1 and SHA-256, one or two codes at a time. SHA-512 is computed as with ``portable``.
    public static var shaARM: InstructionSet { InstructionSet(kind: .shaARM) }
    /// The same, and ARMv8.2's instructions for SHA-512.
    public static var sha512ARM: InstructionSet { InstructionSet(kind: .sha512ARM) }

    static var fastest: InstructionSet { InstructionSet(kind: .fastest) }

    /// The widest that this CPU has: what many codes at a time are computed with.
    public static var widest: InstructionSet {
      switch otp_lanes_widest() {
      case OTP_LANES_SHA_NI: .shaNI
      case OTP_LANES_AVX2: .avx2
      case OTP_LANES_AVX512: .avx512
      case OTP_LANES_SHA_ARM: .shaARM
      case OTP_LANES_SHA512_ARM: .sha512ARM
      default: .portable
      }
    }

    var kernels: otp_lane_set {
      switch kind {
      case .portable: OTP_LANES_PORTABLE
      case .shaNI: OTP_LANES_SHA_NI
      case .avx2: OTP_LANES_AVX2
      case .avx512: OTP_LANES_AVX512
      case .shaARM: OTP_LANES_SHA_ARM
      case .sha512ARM: OTP_LANES_SHA512_ARM
      case .fastest: OTP_LANES_FASTEST
      }
    }

    /// The name, such as `avx512`.
    public var name: String { unsafe String(cString: otp_lane_set_name(kernels)) }
  }
}

extension HMACBackend.InstructionSet: CaseIterable {
  /// The sets that the engine knows, narrow to wide, also those that this CPU does not have.
  public static var allCases: [HMACBackend.InstructionSet] { [.portable, .shaNI, .avx2, .avx512, .shaARM, .sha512ARM] }
}
