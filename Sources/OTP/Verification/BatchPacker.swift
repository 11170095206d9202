internal import COTPKernels

/// Packs the counters of many requests into full lanes, and deals the values out again.
///
/// Requests wait in a queue for each hash function. A full queue is computed; a request that began in one and goes on in
/// the next keeps its scan.
@unsafe struct BatchPacker {
  private let requests: UnsafeBufferPointer<VerificationBatch.Request>
  private let outcomes: UnsafeMutableBufferPointer<VerificationBatch.Outcome>
  private var sha1 = unsafe LaneQueue()
  private var sha256 = unsafe LaneQueue()
  private var sha512 = unsafe LaneQueue()

  init(
    requests: UnsafeBufferPointer<VerificationBatch.Request>,
    outcomes: UnsafeMutableBufferPointer<VerificationBatch.Outcome>
  ) {
    unsafe self.requests = requests
    unsafe self.outcomes = outcomes
  }

  /// Takes the next request.
  mutating func take(_ index: Int) {
    switch unsafe requests[index].task {
    case .failure(let error): unsafe outcomes[index] = .failure(error)
    case .success(let task):
      if case .midstates(.lanes(let plan), let midstates) = unsafe requests[index].key.material,
        unsafe task.count <= LaneQueue.capacity
      {
        switch unsafe requests[index].key.algorithm {
        case .sha1: unsafe sha1.take(index, task, plan, midstates, outcomes)
        case .sha256: unsafe sha256.take(index, task, plan, midstates, outcomes)
        case .sha512: unsafe sha512.take(index, task, plan, midstates, outcomes)
        }
      } else {
        // Another backend, or so many counters of one key that they fill lanes by themselves.
        unsafe verifyAlone(index, task)
      }
    }
  }

  /// Computes what is still waiting, and wipes.
  mutating func finish() {
    unsafe sha1.finish(outcomes)
    unsafe sha256.finish(outcomes)
    unsafe sha512.finish(outcomes)
  }

  private func verifyAlone(_ index: Int, _ task: VerificationTask) {
    do throws(OTPError) {
      unsafe outcomes[index] = .success(try task.run(with: requests[index].key.material))
    } catch {
      unsafe outcomes[index] = .failure(error)
    }
  }
}
