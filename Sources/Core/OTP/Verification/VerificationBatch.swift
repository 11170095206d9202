internal import COTPSupport

/// Many verifications at once, for different secrets, windows and times, packed side by side into vector registers.
///
/// Each request gets the same outcome as from a separate verification. Storing the accepted steps is left to the
/// caller: two requests of one batch may have the same secret and the same code, and the caller must accept only one of
/// them.
public enum VerificationBatch {
  /// One verification of a batch.
  public struct Request: Sendable {
    let key: HMACKey
    /// The verification, or why there is none.
    let task: Result<VerificationTask, OTPError>

    /// A request for ``TOTP/verify(_:at:window:after:)-(SubmittedCode,_,_,_)``, with the same parameters. An error
    /// becomes the request's outcome.
    public init(
      _ code: SubmittedCode, totp: borrowing TOTP, at unixTime: Int64, window: VerificationWindow = .standard,
      after lastAcceptedStep: UInt64?
    ) {
      // Copied, since a closure that used `totp` would capture its key too.
      let (digits, timeStep) = (totp.digits, totp.timeStep)
      key = totp.key
      task = result { () throws(OTPError) in
        try VerificationTask(
          code, digits: digits, at: unixTime, timeStep, window: window, after: lastAcceptedStep)
      }
    }

    /// A request for ``HOTP/verify(_:counter:lookAhead:)-(SubmittedCode,_,_)``, with the same parameters. An error
    /// becomes the request's outcome.
    public init(_ code: SubmittedCode, hotp: borrowing HOTP, counter: UInt64, lookAhead: Int = 10) {
      let digits = hotp.digits
      key = hotp.key
      task = result { () throws(OTPError) in
        try VerificationTask(code, digits: digits, counter: counter, lookAhead: lookAhead)
      }
    }
  }

  /// The outcome of a request: that of the verification, or the request's error.
  public typealias Outcome = Result<Verification, OTPError>

  /// Verifies every request, and appends the outcomes in order to the caller's memory.
  ///
  /// A request with an error does not affect the others. It allocates nothing (except, with the backend `evp`, what
  /// OpenSSL allocates). To use several cores, verify a part of the requests in each of several tasks.
  ///
  /// - Parameters:
  ///   - requests: Any number of requests.
  ///   - outcomes: Receives the outcomes, one per request.
  /// - Throws: `OTPError` with code `outputTooShort`, before any work.
  ///
  /// Timing: depends only on the requests' algorithms, backends, numbers of counters and errors: not on the secrets,
  /// the codes, or what matched.
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
  /// - Parameter requests: Any number of requests.
  /// - Returns: The outcomes, one per request, in order.
  ///
  /// Timing: as for the form that appends to the caller's memory.
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

  /// The requests and outcomes of a Swift caller.
  @unsafe private struct Caller: BatchCaller {
    let requests: UnsafeBufferPointer<Request>
    let outcomes: UnsafeMutableBufferPointer<Outcome>

    var count: Int { unsafe requests.count }

    @inline(__always)
    func request(at index: Int) -> LoanedRequest? {
      switch unsafe requests[index].task {
      case .success(let task):
        // Not through a copy of the key, which would retain it.
        return unsafe LoanedRequest(material: requests[index].key.material, task: task)
      case .failure(let error): unsafe deliver(.failure(error), at: index)
      }
      return nil
    }

    @inline(__always)
    func prefetch(_ index: Int) {
      guard let key = unsafe requests[index].key.material.lanes else { return }
      unsafe otp_prefetch(key.midstates)
      // They are in two lines.
      unsafe otp_prefetch(UnsafeRawPointer(key.midstates) + 56)
    }

    func deliver(_ outcome: Outcome, at index: Int) { unsafe outcomes[index] = outcome }
  }
}

/// Provides the requests of a batch, and receives the outcomes.
package protocol BatchCaller {
  /// The number of requests.
  var count: Int { get }
  /// The request at an index, or `nil` if its outcome is already known.
  func request(at index: Int) -> VerificationBatch.LoanedRequest?
  /// Prefetches into the cache the key of a request that ``request(at:)`` will soon return.
  func prefetch(_ index: Int)
  /// Takes the outcome of a request. The outcomes come in any order.
  func deliver(_ outcome: VerificationBatch.Outcome, at index: Int)
}

/// A batch in three stages, each for the requests that the one before it leaves. They are separate so that a small
/// stack need not hold both the memory that a C function lends to the second one and what OpenSSL takes in the third.
extension VerificationBatch {
  /// A request whose key the caller keeps alive until the end of the batch.
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

  /// Verifies a batch of exactly one request, which is not worth packing. Returns whether it was one.
  package static func verifySingle(of caller: some BatchCaller) -> Bool {
    guard caller.count == 1 else { return false }
    if let request = caller.request(at: 0) { verify(request, 0, caller) }
    return true
  }

  /// Verifies the requests that can be packed. It allocates nothing.
  ///
  /// - Parameters:
  ///   - caller: Provides the requests, and takes the outcomes.
  ///   - memory: `OTP_SCRATCH_BYTES` bytes, as `otp_with_scratch` lends them.
  /// - Returns: Whether those were all of them.
  package static func verifyPacked(of caller: some BatchCaller, memory: UnsafeMutableRawPointer) -> Bool {
    precondition(BatchPacker.byteCount <= OTP_SCRATCH_BYTES)
    let packer = unsafe BatchPacker(memory: memory)
    var areAllPacked = true
    let count = caller.count
    for index in 0..<min(prefetchDistance, count) { caller.prefetch(index) }
    for index in 0..<count {
      if index + prefetchDistance < count { caller.prefetch(index + prefetchDistance) }
      guard let request = caller.request(at: index) else { continue }
      if !packer.add(index, request, caller) { areAllPacked = false }
    }
    packer.finish(caller)
    return areAllPacked
  }

  /// Verifies the requests that could not be packed, one after another. Only the backend `evp` allocates.
  package static func verifyLeft(of caller: some BatchCaller) {
    verifyEachLeft(of: caller)
    // A request in its frame holds a submitted code.
    otp_wipe_stack(1024)
  }

  @inline(never) private static func verifyEachLeft(of caller: some BatchCaller) {
    for index in 0..<caller.count {
      guard let request = caller.request(at: index), !BatchPacker.packs(request) else { continue }
      verify(request, index, caller)
    }
  }

  private static func verify(_ request: LoanedRequest, _ index: Int, _ caller: some BatchCaller) {
    caller.deliver(result { () throws(OTPError) in try request.task.run(with: request.material) }, at: index)
  }
}

/// The value or error of a closure.
private func result<R>(of work: () throws(OTPError) -> R) -> Result<R, OTPError> {
  do throws(OTPError) {
    return .success(try work())
  } catch {
    return .failure(error)
  }
}
