import OTP
import Testing

@Suite struct BulkCodesTests {
  // Counts around every kernel's width, and around the size of the chunks that the engine works in.
  @Test(arguments: implementations) func `bulk codes equal the codes computed one by one`(
    implementation: Implementation
  ) throws {
    let secret = try OTPSecret.rfc(for: implementation.algorithm)
    let hotp = try HOTP(secret: secret, algorithm: implementation.algorithm, backend: implementation.backend)
    let reference = try HOTP(secret: secret, algorithm: implementation.algorithm, backend: .evp)
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 300] as [UInt64] {
      for first in [0, (1 << 32) - 7, .max - count + 1] as [UInt64] {
        let counters = first...(first + (count - 1))
        let expected = try counters.map { try reference.code(counter: $0) }
        #expect(try hotp.codes(counters: counters) == expected)
      }
    }
  }

  @Test func `the codes of steps are the codes at their times`() throws {
    let totp = try TOTP(secret: .rfc, digits: .eight)
    #expect(try totp.codes(steps: 1...3) == [59, 60, 90].map { try totp.code(at: $0) })
    let appended = try [OTPCode](capacity: 3) { output in try totp.codes(steps: 1...3, into: &output) }
    #expect(try appended == totp.codes(steps: 1...3))
  }

  @Test func `an output that is too short is an error, and nothing is written to it`() throws {
    let hotp = try HOTP(secret: .rfc)
    let codes = [OTPCode](capacity: 9) { output in
      for counters in [0...9, 0...UInt64.max] {
        let error = failure { () throws(OTPError) in try hotp.codes(counters: counters, into: &output) }
        #expect(error?.code == .outputTooShort)
      }
    }
    #expect(codes.isEmpty)
  }

  @Test(arguments: [0...(1 << 24), 0...UInt64.max, 5...UInt64.max])
  func `more codes than an array can hold are an error`(counters: ClosedRange<UInt64>) throws {
    let hotp = try HOTP(secret: .rfc)
    let error = failure { () throws(OTPError) in try hotp.codes(counters: counters) }
    #expect(error?.code == .tooManyCodes)
  }
}
