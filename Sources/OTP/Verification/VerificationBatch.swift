internal import COTPSupport

/// Many verifications at once: of different people, windows and times, packed side by side into vector registers.
///
/// A batch says of each request what a verifier of its own would say. What belongs to one person's state, storing the
/// accepted step, stays with the caller: two requests of one batch may be for the same secret and the same code, and only
/// one of them may be accepted in the end.
public enum VerificationBatch {
  /// One verification of a batch.
  public struct Request: Sendable {
    let key: HMACKey
    /// What there is to do, or why it cannot be done.
    let task: Result<VerificationTask, OTPError>

    /// The request for what ``TOTP/verify(_:at:window:after:)-(SubmittedCode,_,_,_)`` does, with its parameters and
    /// errors; an error becomes the request's outcome.
    public init(
      _ code: SubmittedCode, totp: borrowing TOTP, at unixTime: Int64, window: VerificationWindow = .standard,
      after lastAcceptedStep: UInt64?
    ) {
      // By themselves: what a closure captures of a verifier would be its key as well.
      let (digits, timeStep) = (totp.digits, totp.timeStep)
      key = totp.key
      task = result { () throws(OTPError) in
        try VerificationTask(
          code, digits: digits, at: unixTime, timeStep, window: window, after: lastAcceptedStep)
      }
    }

    /// The same with a window's sides as numbers, which may be wrong: the outcome is then `invalidWindow`.
    public init(
      _ code: SubmittedCode, totp: borrowing TOTP, at unixTime: Int64, behind: Int, ahead: Int,
      after lastAcceptedStep: UInt64?
    ) {
      let (digits, timeStep) = (totp.digits, totp.timeStep)
      key = totp.key
      task = result { () throws(OTPError) in
        let window = try VerificationWindow(behind: behind, ahead: ahead)
        return try VerificationTask(
          code, digits: digits, at: unixTime, timeStep, window: window, after: lastAcceptedStep)
      }
    }

    /// The request for what ``HOTP/verify(_:counter:lookAhead:)-(SubmittedCode,_,_)`` does, with its parameters and
    /// errors; an error becomes the request's outcome.
    public init(_ code: SubmittedCode, hotp: borrowing HOTP, counter: UInt64, lookAhead: Int = 10) {
      let digits = hotp.digits
      key = hotp.key
      task = result { () throws(OTPError) in
        try VerificationTask(code, digits: digits, counter: counter, lookAhead: lookAhead)
      }
    }
  }

  /// What a request came to: what a verifier says of the code, or an error with the request.
  public typealias Outcome = Result<Verification, OTPError>

  /// Verifies every request, and appends the outcomes in order to memory of the caller's.
  ///
  /// A request with an error does not disturb the others. Nothing is allocated (but what OpenSSL allocates, with the
  /// backend `evp`, and threads beside the caller's).
  ///
  /// - Parameters:
  ///   - requests: Any number of them.
  ///   - outcomes: Where the outcomes are appended, one a request.
  ///   - threads: How many threads share the work, 1...256. The call returns when all are done.
  /// - Throws: `OTPError` with code `outputTooShort` or `invalidThreadCount`, before any work.
  ///
  /// Timing: depends on the requests' algorithms, backends, numbers of counters and errors alone: not on the secrets, the
  /// codes, or what matched.
  public static func verify(
    _ requests: Span<Request>, into outcomes: inout OutputSpan<Outcome>, threads: Int = 1
  ) throws(OTPError) {
    guard requests.count <= outcomes.freeCapacity else { throw OTPError(.outputTooShort) }
    try unsafe outcomes.withUnsafeMutableBufferPointer { (outcomes, initializedCount) throws(OTPError) in
      let free = unsafe UnsafeMutableBufferPointer(
        rebasing: outcomes[initializedCount..<initializedCount + requests.count])
      unsafe free.initialize(repeating: .success(.rejected))
      try unsafe verify(requests, to: free, threads: threads)
      initializedCount += requests.count
    }
  }

  /// Verifies every request.
  ///
  /// - Parameters:
  ///   - requests: Any number of them.
  ///   - threads: How many threads share the work, 1...256. The call returns when all are done.
  /// - Returns: The outcomes, one a request, in order.
  /// - Throws: `OTPError` with code `invalidThreadCount`.
  ///
  /// Timing: as for the form with memory of the caller's.
  public static func verify(_ requests: [Request], threads: Int = 1) throws(OTPError) -> [Outcome] {
    var outcomes = [Outcome](repeating: .success(.rejected), count: requests.count)
    try unsafe outcomes.withUnsafeMutableBufferPointer { (outcomes) throws(OTPError) in
      try unsafe verify(requests.span, to: outcomes, threads: threads)
    }
    return outcomes
  }

  private static func verify(
    _ requests: Span<Request>, to outcomes: UnsafeMutableBufferPointer<Outcome>, threads: Int
  ) throws(OTPError) {
    try unsafe requests.withUnsafeBufferPointer { (requests) throws(OTPError) in
      _ = try inParallel(count: requests.count, threads: threads) { part in
        unsafe withUnsafePointer(to: Part(indices: part, requests: requests, outcomes: outcomes)) { part in
          let leavesSome = unsafe otp_with_scratch(
            { part, scratch in
              guard let part = unsafe part?.assumingMemoryBound(to: Part.self).pointee, let scratch = unsafe scratch
              else { return 0 }
              return unsafe VerificationBatch.verifyPacked(part.indices, of: part, memory: scratch) ? 0 : 1
            }, UnsafeMutableRawPointer(mutating: part))
          if leavesSome != 0 { unsafe VerificationBatch.verifySingly(part.pointee.indices, of: part.pointee) }
        }
        return true
      }
    }
  }

  /// The part of a batch that one thread takes.
  @unsafe private struct Part: BatchCaller {
    let indices: Range<Int>
    let requests: UnsafeBufferPointer<Request>
    let outcomes: UnsafeMutableBufferPointer<Outcome>

    @inline(__always)
    func request(at index: Int) -> LoanedRequest? {
      switch unsafe requests[index].task {
      case .success(let task):
        // Not by way of the key itself, which would be retained for it.
        return unsafe LoanedRequest(
          algorithm: requests[index].key.algorithm, material: requests[index].key.material, task: task)
      case .failure(let error): unsafe take(.failure(error), at: index)
      }
      return nil
    }

    func take(_ outcome: Outcome, at index: Int) { unsafe outcomes[index] = outcome }
  }
}

/// Whose requests a batch verifies, and who is told the outcomes.
package protocol BatchCaller {
  /// The request of an index, or `nil` where its outcome is known without.
  func request(at index: Int) -> VerificationBatch.LoanedRequest?
  /// Takes the outcome of a request, in whatever order they become known.
  func take(_ outcome: VerificationBatch.Outcome, at index: Int)
}

extension VerificationBatch {
  /// A request whose key somebody else keeps alive until the batch is through.
  @unsafe package struct LoanedRequest {
    let algorithm: HashAlgorithm
    let material: KeyMaterial
    let task: VerificationTask

    fileprivate init(algorithm: HashAlgorithm, material: KeyMaterial, task: VerificationTask) {
      unsafe self.algorithm = algorithm
      unsafe self.material = material
      unsafe self.task = task
    }

    /// A request for what ``HMACKey/run(_:)`` does.
    package init(_ key: borrowing HMACKey, _ task: VerificationTask) {
      unsafe self.init(algorithm: key.algorithm, material: key.material, task: task)
    }
  }

  /// Verifies those requests that can be packed, of whatever form. Nothing is allocated.
  ///
  /// - Parameters:
  ///   - indices: Which of the caller's requests.
  ///   - caller: Has the requests, and takes the outcomes.
  ///   - memory: `OTP_SCRATCH_BYTES` bytes, as `otp_with_scratch` lends them.
  /// - Returns: Whether that was all of them. The others are for ``verifySingly(_:of:)``, when the memory has been given
  ///   back: a stack need not hold both it and what OpenSSL takes.
  package static func verifyPacked(
    _ indices: Range<Int>, of caller: some BatchCaller, memory: UnsafeMutableRawPointer
  ) -> Bool {
    unsafe precondition(BatchPacker.byteCount <= OTP_SCRATCH_BYTES)
    var packer = unsafe BatchPacker(memory: memory)
    var areAllPacked = true
    for index in indices {
      guard let request = unsafe caller.request(at: index) else { continue }
      if unsafe !packer.take(index, request, caller) { areAllPacked = false }
    }
    unsafe packer.finish(caller)
    return areAllPacked
  }

  /// Verifies those requests that cannot be packed, one after another. Nothing is allocated but what OpenSSL allocates.
  package static func verifySingly(_ indices: Range<Int>, of caller: some BatchCaller) {
    for index in indices {
      guard let request = unsafe caller.request(at: index), unsafe !BatchPacker.takes(request) else { continue }
      do throws(OTPError) {
        caller.take(.success(try unsafe request.task.run(with: request.material)), at: index)
      } catch {
        caller.take(.failure(error), at: index)
      }
    }
  }
}

/// A piece of work's value or error.
private func result<R>(of work: () throws(OTPError) -> R) -> Result<R, OTPError> {
  do throws(OTPError) {
    return .success(try work())
  } catch {
    return .failure(error)
  }
}
