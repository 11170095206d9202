internal import COTPSupport

extension HMACBackend {
  /// An instruction set that the engine has kernels for: a row of the table in `plans.c`. Future versions may add sets.
  @_spi(Diagnostics) public struct InstructionSet: Sendable, Hashable {
    private let row: UInt32

    var kernels: otp_lane_set { otp_lane_set(rawValue: row) }

    init(_ kernels: otp_lane_set) { row = kernels.rawValue }

    /// The compiler's 128-bit vectors, SSE2 or NEON: on every CPU.
    public static var portable: InstructionSet { InstructionSet(OTP_LANES_PORTABLE) }
    /// The SHA extensions of x86-64, up to four codes at a time, with the kernels of ``portable`` for SHA-512.
    public static var shaNI: InstructionSet { InstructionSet(OTP_LANES_SHA_NI) }
    /// 256-bit vectors.
    public static var avx2: InstructionSet { InstructionSet(OTP_LANES_AVX2) }
    /// 512-bit vectors, and 256-bit ones for small numbers of codes.
    public static var avx512: InstructionSet { InstructionSet(OTP_LANES_AVX512) }
    /// The ARMv8 instructions for SHA-1 and SHA-256, one or two codes at a time, with the kernels of ``portable`` for
    /// SHA-512.
    public static var shaARM: InstructionSet { InstructionSet(OTP_LANES_SHA_ARM) }
    /// As ``shaARM``, with the ARMv8.2 instructions for SHA-512.
    public static var sha512ARM: InstructionSet { InstructionSet(OTP_LANES_SHA512_ARM) }

    /// libcrypto's own block transforms.
    static var libcrypto: InstructionSet { InstructionSet(OTP_LANES_LIBCRYPTO) }
    /// All of this CPU's kernels.
    static var fastest: InstructionSet { InstructionSet(OTP_LANES_FASTEST) }

    /// The widest set that this CPU has, which is used for large numbers of codes.
    public static var widest: InstructionSet { InstructionSet(otp_lanes_widest()) }

    /// The name, such as `avx512`.
    public var name: String { unsafe String(cString: otp_lane_set_name(kernels)) }
  }
}

@_spi(Diagnostics) extension HMACBackend.InstructionSet: CaseIterable {
  /// The sets that the engine knows, narrowest first, including those that this CPU lacks.
  public static var allCases: [HMACBackend.InstructionSet] {
    table.filter { ![.libcrypto, .fastest].contains($0) }
  }

  /// The whole table: libcrypto's transforms, then the sets from narrow to wide, then all of them.
  static var table: [HMACBackend.InstructionSet] {
    (0..<UInt32(OTP_LANE_SET_COUNT)).map { HMACBackend.InstructionSet(otp_lane_set(rawValue: $0)) }
  }
}
