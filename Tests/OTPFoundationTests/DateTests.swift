import Foundation
import OTP
import OTPFoundation
import Testing

@Suite struct DateTests {
  @Test(arguments: [
    Double.nan, .signalingNaN, .infinity, -.infinity, 1e30, -1e30, .greatestFiniteMagnitude, 0x1p63,
    -0x1.0000000000001p63,
  ])
  func `a Date that is NaN or infinite, or whose seconds overflow 64 bits, is a typed error`(seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let totp = try TOTP(secret: OTPSecret(bytes: [1]))
    let code = try SubmittedCode("123456")
    let errors = [
      failure { () throws(OTPError) in try date.unixTime },
      failure { () throws(OTPError) in try totp.timeStep.number(at: date) },
      failure { () throws(OTPError) in try totp.timeStep.secondsRemaining(at: date) },
      failure { () throws(OTPError) in try totp.code(at: date) },
      failure { () throws(OTPError) in try totp.verify(code, at: date, after: nil) },
      failure { () throws(OTPError) in try totp.verify("123456", at: date, after: nil) },
    ]
    for error in errors { #expect(error?.code == .invalidTime) }
  }

  @Test(
    arguments: [
      (0, 0), (0.9, 0), (1, 1), (59.999, 59), (-0.1, -1), (-1, -1), (-1.5, -2), (1e15, 1_000_000_000_000_000),
    ] as [(Double, Int64)])
  func `a date is rounded down to a second`(seconds: Double, unixTime: Int64) throws {
    #expect(try Date(timeIntervalSince1970: seconds).unixTime == unixTime)
  }

  @Test func `distant dates do not trap`() throws {
    #expect(try Date.distantFuture.unixTime > 0)
    #expect(try Date.distantPast.unixTime < 0)
    let totp = try TOTP(secret: OTPSecret(bytes: [1]))
    #expect(failure { () throws(OTPError) in try totp.code(at: Date.distantPast) }?.code == .timeBeforeT0)
    #expect(try totp.code(at: Date.distantFuture).digits == .six)
  }

  @Test func `a Date gives the same results as its Unix time`() throws {
    let totp = try TOTP(secret: OTPSecret(bytes: "12345678901234567890".utf8), digits: .eight)
    let date = Date(timeIntervalSince1970: 59.5)
    #expect(try totp.code(at: date).description == "94287082")
    #expect(try totp.timeStep.number(at: date) == 1)
    #expect(try totp.timeStep.secondsRemaining(at: date) == 1)
    #expect(try totp.verify("94287082", at: date, after: nil) == .accepted(movingFactor: 1, offset: 0))
    let code = try SubmittedCode("94287082", digits: .eight)
    #expect(try totp.verify(code, at: date, window: .adjacent(0), after: nil) == .accepted(movingFactor: 1, offset: 0))
    #expect(try totp.verify(code, at: date, after: 1) == .replayed)
  }
}

/// The error that a closure throws; `nil` if it throws none.
func failure<R>(of work: () throws(OTPError) -> R) -> OTPError? {
  do throws(OTPError) {
    _ = try work()
    return nil
  } catch {
    return error
  }
}
