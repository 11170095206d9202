import OTP
import SharedFixtures
import Testing

/// Verification that starts from the secret's bytes.
@Suite struct UnkeptSecretTests {
  @Test(arguments: implementations) func `verifying from a secret's bytes gives the outcome of verifying with a key`(
    implementation: Implementation
  ) throws {
    var random = SeededGenerator(seed: 7)
    for byteCount in [1, 16, 20, 63, 64, 65, 127, 128, 129, 300] {
      let bytes = random.bytes(byteCount)
      let totp = try TOTP(
        secret: OTPSecret(bytes: bytes), algorithm: implementation.algorithm, backend: implementation.backend)
      for offset in -6...6 {
        let time: Int64 = 1_700_000_000
        let code = try SubmittedCode(totp.code(at: time + Int64(offset) * 30).description)
        let window = try VerificationWindow(behind: 3, ahead: 5)
        let after: UInt64? = offset % 2 == 0 ? nil : UInt64(time / 30) - 1
        let verification = try TOTP.verify(
          code, secret: bytes.span, algorithm: implementation.algorithm, timeStep: totp.timeStep, at: time,
          window: window, after: after, backend: implementation.backend)
        #expect(try verification == totp.verify(code, at: time, window: window, after: after))
      }
    }
  }

  @Test func `an empty secret and a time before t0 are errors`() throws {
    let code = try SubmittedCode("287082")
    let timeStep = try TimeStep()
    let secret: [UInt8] = Array("12345678901234567890".utf8)
    let none: [UInt8] = []
    let empty = failure { () throws(OTPError) in
      try TOTP.verify(code, secret: none.span, timeStep: timeStep, at: 59, after: nil)
    }
    #expect(empty?.code == .emptySecret)
    let early = failure { () throws(OTPError) in
      try TOTP.verify(code, secret: secret.span, timeStep: timeStep, at: -1, after: nil)
    }
    #expect(early?.code == .timeBeforeT0)
    #expect(try TOTP.verify(code, secret: secret.span, timeStep: timeStep, at: 59, after: nil).isAccepted)
  }
}
