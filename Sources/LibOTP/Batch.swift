public import COTP
internal import COTPKernels
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

    var batch = unsafe Batch(
      count: count, requests: UnsafeRawPointer(requests), requestSize: requestSize,
      results: UnsafeMutableRawPointer(results), resultSize: resultSize)
    unsafe otp_with_scratch(
      { batch, scratch in
        guard let batch = unsafe batch?.assumingMemoryBound(to: Batch.self), let scratch = unsafe scratch
        else { return }
        unsafe batch.pointee.verify(in: scratch)
      }, &batch)
  }
}

/// Where the structures of a batch lie, which later versions may have made larger.
///
/// A structure and no closure: what C calls back with its scratch memory would have to be allocated.
@unsafe private struct Batch {
  let count: Int
  let requests: UnsafeRawPointer
  let requestSize: Int
  let results: UnsafeMutableRawPointer
  let resultSize: Int

  private func put(_ result: otp_match, at index: Int) {
    let place = unsafe (results + index * resultSize).assumingMemoryBound(to: otp_match.self)
    unsafe place.write(result, size: resultSize)
  }

  /// The request as the engine takes it, or `nil` where its outcome has been put.
  private func loan(at index: Int) -> VerificationBatch.LoanedRequest? {
    let request = unsafe (requests + index * requestSize).assumingMemoryBound(to: otp_request.self)
    do throws(CallError) {
      guard unsafe request.pointee.size == requestSize else { throw CallError(OTP_INVALID_ARGUMENT) }
      if let loan = try unsafe request.loan() { return unsafe loan }
      unsafe put(otp_match(.rejected), at: index)
    } catch {
      unsafe put(otp_match(error.status), at: index)
    }
    return nil
  }

  func verify(in scratch: UnsafeMutableRawPointer) {
    precondition(VerificationBatch.scratchByteCount <= OTP_SCRATCH_BYTES)
    unsafe VerificationBatch.verify(
      0..<count, in: scratch, { index in unsafe loan(at: index) },
      { index, outcome in
        switch outcome {
        case .success(let verification): unsafe put(otp_match(verification), at: index)
        case .failure(let error): unsafe put(otp_match(otp_status(error)), at: index)
        }
      })
  }
}

extension UnsafePointer<otp_request> {
  /// The request as the engine takes it, or `nil` where what was typed is not a code.
  @inline(__always)
  fileprivate func loan() throws(CallError) -> VerificationBatch.LoanedRequest? {
    let request = try unsafe checked()
    // First, as in the request's own function: of several mistakes both tell the same.
    guard unsafe request.key != nil else { throw CallError(OTP_INVALID_ARGUMENT) }
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
