public import COTP
internal import OTP

/// See otp.h.
@c @implementation
public func otp_verify_batch(
  _ requests: UnsafePointer<otp_request>?, _ count: Int, _ results: UnsafeMutablePointer<otp_match>?
) -> otp_status {
  call { () throws(CallError) in
    guard count != 0 else { return }
    let requests = try unsafe required(requests)
    let results = try unsafe required(results)
    _ = try unsafe requests.checked()
    let requestSize = unsafe requests.pointee.size
    let resultSize = try unsafe results.writableSize()
    guard count > 0, requestSize.multipliedReportingOverflow(by: count).overflow == false,
      resultSize.multipliedReportingOverflow(by: count).overflow == false
    else { throw CallError(OTP_INVALID_ARGUMENT) }

    // Where the structures lie that later versions may have made larger.
    let firstRequest = unsafe UnsafeRawPointer(requests)
    let firstResult = UnsafeMutableRawPointer(results)
    unsafe VerificationBatch.verify(
      0..<count,
      { index in
        let request = unsafe (firstRequest + index * requestSize).assumingMemoryBound(to: otp_request.self)
        let result = unsafe (firstResult + index * resultSize).assumingMemoryBound(to: otp_match.self)
        do throws(CallError) {
          guard unsafe request.pointee.size == requestSize else { throw CallError(OTP_INVALID_ARGUMENT) }
          if let loan = try unsafe request.loan() { return unsafe loan }
          unsafe result.write(otp_match(.rejected), size: resultSize)
        } catch {
          unsafe result.write(otp_match(error.status), size: resultSize)
        }
        return nil
      },
      { index, outcome in
        let result = unsafe (firstResult + index * resultSize).assumingMemoryBound(to: otp_match.self)
        switch outcome {
        case .success(let verification): unsafe result.write(otp_match(verification), size: resultSize)
        case .failure(let error): unsafe result.write(otp_match(otp_status(error)), size: resultSize)
        }
      })
  }
}

extension UnsafePointer<otp_request> {
  /// The request as the engine takes it, or `nil` where what was typed is not a code.
  @inline(__always)
  fileprivate func loan() throws(CallError) -> VerificationBatch.LoanedRequest? {
    let request = try unsafe checked()
    let task =
      switch unsafe request.type {
      case OTP_TOTP:
        try unsafe totpTask(request.code, request.code_len, request.unix_time, request.params, request.window)
      case OTP_HOTP:
        try unsafe hotpTask(request.code, request.code_len, request.counter, request.digits, request.look_ahead)
      default: throw CallError(OTP_INVALID_ARGUMENT)
      }
    return try unsafe Key.lend(request.key) { (key) throws(CallError) in
      guard let task else { return nil }
      return unsafe VerificationBatch.LoanedRequest(key, task)
    }
  }
}
