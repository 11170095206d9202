// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import COTPSupport
internal import OTP

@c @implementation
public func otp_verify_batch(
  _ requests: UnsafePointer<otp_request>?, _ count: Int, _ results: UnsafeMutablePointer<otp_match>?
) -> otp_status {
  call { () throws(CallError) in
    guard count != 0 else { return }
    let batch = try unsafe Batch(requests, count, results)
    unsafe withUnsafePointer(to: batch) { batch in
      if unsafe VerificationBatch.verifySingle(of: batch.pointee) { return }
      let leavesSome = unsafe otp_with_scratch(
        { batch, scratch in
          guard let batch = unsafe batch?.assumingMemoryBound(to: Batch.self), let scratch = unsafe scratch
          else { return 0 }
          return unsafe VerificationBatch.verifyPacked(of: batch.pointee, memory: scratch) ? 0 : 1
        }, UnsafeMutableRawPointer(mutating: batch))
      if leavesSome != 0 { unsafe VerificationBatch.verifyLeft(of: batch.pointee) }
    }
  }
}

/// A batch from C. The stated sizes of its structures are the distances between them: a caller that was compiled with a
/// later header may have larger ones.
@unsafe private struct Batch: BatchCaller {
  let count: Int
  private let requests: UnsafeRawPointer
  private let requestSize: Int
  private let results: UnsafeMutableRawPointer
  private let resultSize: Int

  init(
    _ requests: UnsafePointer<otp_request>?, _ count: Int, _ results: UnsafeMutablePointer<otp_match>?
  ) throws(CallError) {
    let requests = try unsafe required(requests)
    let results = try unsafe required(results)
    unsafe requestSize = try requests.checkedSize()
    unsafe resultSize = try results.writableSize()
    guard count > 0, unsafe count <= largestCount / requestSize, unsafe count <= largestCount / resultSize else {
      throw CallError(OTP_INVALID_ARGUMENT)
    }
    // A result would overwrite a request that has not been read yet.
    guard unsafe !overlap(requests, count * requestSize, results, count * resultSize) else {
      throw CallError(OTP_INVALID_ARGUMENT)
    }
    unsafe self.count = count
    unsafe self.requests = UnsafeRawPointer(requests)
    unsafe self.results = UnsafeMutableRawPointer(results)
  }

  @inline(__always)
  func prefetch(_ index: Int) {
    unsafe PreparedKey.prefetch((requests + index * requestSize).assumingMemoryBound(to: otp_request.self).pointee.key)
  }

  func request(at index: Int) -> VerificationBatch.LoanedRequest? {
    let request = unsafe (requests + index * requestSize).assumingMemoryBound(to: otp_request.self)
    do throws(CallError) {
      guard unsafe request.pointee.size == requestSize, unsafe isApart(request) else {
        throw CallError(OTP_INVALID_ARGUMENT)
      }
      if let loan = try unsafe request.loan() { return loan }
      unsafe write(otp_match(.rejected), at: index)
    } catch {
      unsafe write(otp_match(error.status), at: index)
    }
    return nil
  }

  func deliver(_ outcome: VerificationBatch.Outcome, at index: Int) {
    switch outcome {
    case .success(let verification): unsafe write(otp_match(verification), at: index)
    case .failure(let error): unsafe write(otp_match(otp_status(error)), at: index)
    }
  }

  /// Whether nothing that a request points to overlaps the results, some of which may have been written already.
  @inline(__always)
  private func isApart(_ request: UnsafePointer<otp_request>) -> Bool {
    let resultBytes = unsafe count * resultSize
    return unsafe !overlap(results, resultBytes, request.pointee.code, request.pointee.code_len)
      && !overlap(results, resultBytes, request.pointee.params, MemoryLayout<otp_totp_params>.size)
      && !overlap(results, resultBytes, request.pointee.window, MemoryLayout<otp_window>.size)
  }

  private func write(_ match: otp_match, at index: Int) {
    let result = unsafe (results + index * resultSize).assumingMemoryBound(to: otp_match.self)
    unsafe result.write(match, size: resultSize)
  }
}

extension UnsafePointer<otp_request> {
  /// The request in the engine's form, or `nil` if the submitted text is not a code.
  @inline(__always)
  fileprivate func loan() throws(CallError) -> VerificationBatch.LoanedRequest? {
    let request = try unsafe checked()
    // Checked first, as in the function for a single request, so that both report the same one of several mistakes.
    guard unsafe request.key != nil else { throw CallError(OTP_INVALID_ARGUMENT) }
    let task =
      switch unsafe request.type {
      case OTP_TOTP:
        try unsafe totpTask(request.code, request.code_len, request.unix_time, request.params, request.window)
      case OTP_HOTP:
        try unsafe hotpTask(request.code, request.code_len, request.counter, request.digits, request.look_ahead)
      default: throw CallError(OTP_INVALID_ARGUMENT)
      }
    guard let task else { return nil }
    return try unsafe PreparedKey.lend(request.key) { (key) throws(CallError) in
      VerificationBatch.LoanedRequest(material: key, task: task)
    }
  }
}
