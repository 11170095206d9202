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

  /// The outcome of a request: what a verifier says of the code, or the request's error.
  public typealias Outcome = Result<Verification, OTPError>

  /// Verifies every request, and appends the outcomes in order to memory of the caller's.
  ///
  /// A request with an error does not disturb the others. Nothing is allocated (but what OpenSSL allocates, with the
  /// backend `evp`). To use several cores, verify a part of the requests in each of several tasks.
  ///
  /// - Parameters:
  ///   - requests: Any number of them.
  ///   - outcomes: Where the outcomes are appended, one a request.
  /// - Throws: `OTPError` with code `outputTooShort`, before any work.
  ///
  /// Timing: depends only on the requests' algorithms, backends, numbers of counters and errors: not on the secrets, the
  /// codes, or what matched.
  public static func verify(
    _ requests: Span<Request>, into outcomes: inout OutputSpan<Outcome>
  ) throws(OTPError) {
    guard requests.count <= outcomes.freeCapacity else { throw OTPError(.outputTooShort) }
    unsafe outcomes.withUnsafeMutableBufferPointer { outcomes, initializedCount in
      let free = unsafe UnsafeMutableBufferPointer(
        rebasing: outcomes[initializedCount..<initializedCount + requests.count])
      unsafe free.initialize(repeating: .success(.rejected))
      unsafe verify(requests, to: free)
      initializedCount += requests.count
    }
  }

  /// Verifies every request.
  ///
  /// - Parameter requests: Any number of them.
  /// - Returns: The outcomes, one a request, in order.
  ///
  /// Timing: as for the form with memory of the caller's.
  public static func verify(_ requests: [Request]) -> [Outcome] {
    var outcomes = [Outcome](repeating: .success(.rejected), count: requests.count)
    unsafe outcomes.withUnsafeMutableBufferPointer { outcomes in unsafe verify(requests.span, to: outcomes) }
    return outcomes
  }

  private static func verify(_ requests: Span<Request>, to outcomes: UnsafeMutableBufferPointer<Outcome>) {
    unsafe requests.withUnsafeBufferPointer { requests in
      unsafe withUnsafePointer(to: Caller(requests: requests, outcomes: outcomes)) { caller in
        if unsafe verifySingle(of: caller.pointee) { return }
        let leavesSome = unsafe otp_with_scratch(
          { caller, scratch in
            guard let caller = unsafe caller?.assumingMemoryBound(to: Caller.self), let scratch = unsafe scratch
            else { return 0 }
            return unsafe VerificationBatch.verifyPacked(of: caller.pointee, memory: scratch) ? 0 : 1
          }, UnsafeMutableRawPointer(mutating: caller))
        if leavesSome != 0 { unsafe verifyLeft(of: caller.pointee) }
      }
    }
  }

  /// Requests and outcomes as Swift has them.
  @unsafe private struct Caller: BatchCaller {
    let requests: UnsafeBufferPointer<Request>
    let outcomes: UnsafeMutableBufferPointer<Outcome>

    var count: Int { unsafe requests.count }

    @inline(__always)
    func request(at index: Int) -> LoanedRequest? {
      switch unsafe requests[index].task {
      case .success(let task):
        // Not by way of the key itself, which would be retained for it.
        return unsafe LoanedRequest(material: requests[index].key.material, task: task)
      case .failure(let error): unsafe take(.failure(error), at: index)
      }
      return nil
    }

    @inline(__always)
    func prefetch(_ index: Int) {
      if case .lanes(let key) = unsafe requests[index].key.material { unsafe otp_prefetch(key.midstates) }
    }

    func take(_ outcome: Outcome, at index: Int) { unsafe outcomes[index] = outcome }
  }
}

/// Whose requests a batch verifies, and who gets the outcomes.
package protocol BatchCaller {
  /// How many requests there are.
  var count: Int { get }
  /// The request of an index, or `nil` if its outcome is known without.
  func request(at index: Int) -> VerificationBatch.LoanedRequest?
  /// Fetches a key into the cache that ``request(at:)`` will soon be asked for.
  func prefetch(_ index: Int)
  /// Takes the outcome of a request, in whatever order they become known.
  func take(_ outcome: VerificationBatch.Outcome, at index: Int)
}

/// A batch in three steps, each of which leaves what the next one does. They are apart because the second one's memory,
/// on the stack, is lent by a function of C's, and a small stack need not hold both it and what OpenSSL takes.
extension VerificationBatch {
  /// A request whose key somebody else keeps alive until the batch is through.
  package struct LoanedRequest {
    let material: KeyMaterial
    let task: VerificationTask

    package init(material: KeyMaterial, task: VerificationTask) {
      self.material = material
      self.task = task
    }
  }

  /// How many requests ahead a key is fetched from memory.
  private static var prefetchDistance: Int { 16 }

  /// Verifies a batch of one request, which is not worth the set-up of packing. Returns whether it was one.
  package static func verifySingle(of caller: some BatchCaller) -> Bool {
    guard caller.count == 1 else { return false }
    if let request = caller.request(at: 0) { verify(request, 0, caller) }
    return true
  }

  /// Verifies those requests that can be packed. Nothing is allocated.
  ///
  /// - Parameters:
  ///   - caller: Has the requests, and takes the outcomes.
  ///   - memory: `OTP_SCRATCH_BYTES` bytes, as `otp_with_scratch` lends them.
  /// - Returns: Whether that was all of them.
  package static func verifyPacked(of caller: some BatchCaller, memory: UnsafeMutableRawPointer) -> Bool {
    precondition(BatchPacker.byteCount <= OTP_SCRATCH_BYTES)
    let packer = unsafe BatchPacker(memory: memory)
    var areAllPacked = true
    let count = caller.count
    for index in 0..<min(prefetchDistance, count) { caller.prefetch(index) }
    for index in 0..<count {
      if index + prefetchDistance < count { caller.prefetch(index + prefetchDistance) }
      guard let request = caller.request(at: index) else { continue }
      if !packer.take(index, request, caller) { areAllPacked = false }
    }
    packer.finish(caller)
    return areAllPacked
  }

  /// Verifies those requests that could not be packed, one after another. Only the backend `evp` allocates.
  package static func verifyLeft(of caller: some BatchCaller) {
    for index in 0..<caller.count {
      guard let request = caller.request(at: index), !BatchPacker.packs(request) else { continue }
      verify(request, index, caller)
    }
  }

  private static func verify(_ request: LoanedRequest, _ index: Int, _ caller: some BatchCaller) {
    caller.take(result { () throws(OTPError) in try request.task.run(with: request.material) }, at: index)
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
