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
        unsafe verify(
          part,
          { index in
            switch unsafe requests[index].task {
            case .success(let task): return unsafe LoanedRequest(requests[index].key, task)
            case .failure(let error): unsafe outcomes[index] = .failure(error)
            }
            return nil
          },
          { index, outcome in unsafe outcomes[index] = outcome })
        return true
      }
    }
  }
}

extension VerificationBatch {
  /// What takes the outcome of a request, in whatever order they become known.
  package typealias Delivery = (_ index: Int, _ outcome: Outcome) -> Void

  /// A request whose key somebody else keeps alive until the batch is through.
  @unsafe package struct LoanedRequest {
    let algorithm: HashAlgorithm
    let material: KeyMaterial
    let task: VerificationTask

    /// A request for what ``HMACKey/run(_:)`` does.
    package init(_ key: borrowing HMACKey, _ task: VerificationTask) {
      unsafe algorithm = key.algorithm
      unsafe material = key.material
      unsafe self.task = task
    }
  }

  /// Verifies requests that are made one by one, and hands each outcome over.
  ///
  /// - Parameters:
  ///   - indices: The requests.
  ///   - request: Makes the request of an index, or returns `nil` where its outcome is known without.
  ///   - deliver: Takes the outcomes of the requests.
  package static func verify(_ indices: Range<Int>, _ request: (Int) -> LoanedRequest?, _ deliver: Delivery) {
    unsafe BatchPacker.pack { packer in
      for index in indices {
        if let request = unsafe request(index) { unsafe packer.take(index, request, deliver) }
      }
      unsafe packer.finish(deliver)
    }
  }

  /// How much memory the form with memory of the caller's takes.
  package static var scratchByteCount: Int { unsafe BatchPacker.byteCount }

  /// The same in memory of the caller's, ``scratchByteCount`` bytes aligned for any type, which is wiped. Nothing is
  /// allocated (but what OpenSSL allocates, with the backend `evp`): to lend memory of the stack, as the other form does,
  /// takes a closure that is allocated.
  package static func verify(
    _ indices: Range<Int>, in scratch: UnsafeMutableRawPointer, _ request: (Int) -> LoanedRequest?, _ deliver: Delivery
  ) {
    var packer = unsafe BatchPacker(memory: scratch)
    for index in indices {
      if let request = unsafe request(index) { unsafe packer.take(index, request, deliver) }
    }
    unsafe packer.finish(deliver)
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
