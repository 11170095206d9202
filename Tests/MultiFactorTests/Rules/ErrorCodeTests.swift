import Foundation
import Testing

@testable import MultiFactor

/// The names and numbers that clients of the SDK know.
@Suite struct ErrorCodeTests {
  private static let numbers: [AuthError.Code: Int] = [
    .secondFactorRequired: 17078, .missingMultiFactorSession: 17081, .missingMultiFactorInfo: 17082,
    .invalidMultiFactorSession: 17083, .multiFactorInfoNotFound: 17084, .adminRestrictedOperation: 17085,
    .unverifiedEmail: 17086, .secondFactorAlreadyEnrolled: 17087, .maximumSecondFactorCountExceeded: 17088,
    .unsupportedFirstFactor: 17089, .missingVerificationCode: 17043, .invalidVerificationCode: 17044,
    .missingVerificationID: 17045, .invalidVerificationID: 17046, .sessionExpired: 17051, .quotaExceeded: 17052,
    .tooManyRequests: 17010, .requiresRecentLogin: 17014, .invalidUserToken: 17017, .userTokenExpired: 17021,
    .operationNotAllowed: 17006, .invalidPhoneNumber: 17042,
    // Beyond the list: other errors that the SDK has numbers for.
    .userMismatch: 17024, .missingPhoneNumber: 17041, .appNotVerified: 17055, .internalError: 17999,
    .missingAppCredential: 17047, .invalidAppCredential: 17048, .captchaCheckFailed: 17056, .userDisabled: 17005,
    .userNotFound: 17011, .invalidCredential: 17004,
  ]

  @Test func `Each error code has the SDK's number`() {
    #expect(AuthError.Code.allCases.count == Self.numbers.count)
    for (code, number) in Self.numbers { #expect(code.rawValue == number) }
  }

  @Test func `Errors are equal if all that they show is equal, and then hash alike`() {
    let now = Date(timeIntervalSince1970: 1)
    let errors = [
      AuthError(.internalError), AuthError(.internalError, reason: .store), AuthError(.internalError, reason: .sealing),
      AuthError(.tooManyRequests), AuthError(.tooManyRequests, retryAfter: now),
      AuthError(.tooManyRequests, retryAfter: now.addingTimeInterval(1)),
    ]
    for (index, error) in errors.enumerated() {
      #expect(errors.indices.filter { errors[$0] == error } == [index])
    }
    #expect(Set(errors + errors).count == errors.count)
  }

  @Test func `The HTTP status says whose the error is, and whether to wait`() {
    let codes = AuthError.Code.allCases
    #expect(codes.allSatisfy { code in (400..<500).contains(AuthError(code).httpStatus) || code == .internalError })
    #expect(codes.filter { AuthError($0).httpStatus == 429 } == [.tooManyRequests, .quotaExceeded])
    #expect(
      Set(codes.filter { AuthError($0).httpStatus == 401 }) == [
        .invalidUserToken, .userTokenExpired, .sessionExpired, .requiresRecentLogin, .secondFactorRequired,
      ])
    let busy = FactorStoreError.Kind.allCases.filter {
      AuthError(.internalError, reason: .store, storeError: FactorStoreError($0)).httpStatus == 503
    }
    #expect(busy == [.unreachable, .readOnly, .overloaded, .timeout])
    #expect(AuthError(.internalError, reason: .sealing).httpStatus == 500)
  }

  @Test(arguments: [(0.001, 1), (1, 1), (1.5, 2), (3600, 3600), (0, 1), (-5, 1), (1e30, .max)])
  func `Retry-After is in whole seconds, and no attempt is too early`(delay: TimeInterval, seconds: Int) {
    let now = Date(timeIntervalSince1970: 0)
    let error = AuthError(.tooManyRequests, retryAfter: now + delay)
    #expect(error.retryAfterSeconds(at: now) == seconds)
    #expect(AuthError(.tooManyRequests).retryAfterSeconds(at: now) == nil)
  }
}
