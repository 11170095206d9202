import Foundation
import OTP
import OTPFoundation
import Testing

@Suite struct DateTests {
  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e30, -1e30])
  func `a date that is no number of seconds is an error`(seconds: Double) throws {
    #expect(throws: OTPError.self) { try Date(timeIntervalSince1970: seconds).unixTime }
  }
}
