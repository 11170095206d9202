/// Packs the counters of many requests into full lanes, and deals the values out again.
///
/// Requests wait in a queue for each hash function. A full queue is computed; a request that began in one and goes on in
/// the next keeps its scan.
@unsafe struct BatchPacker {
  private var sha1: LaneQueue
  private var sha256: LaneQueue
  private var sha512: LaneQueue

  /// The memory that a packer is lent.
  static var byteCount: Int { unsafe 3 * LaneQueue.byteCount }

  /// A packer in memory of ``byteCount`` bytes, aligned for any type.
  init(memory: UnsafeMutableRawPointer) {
    unsafe sha1 = LaneQueue(memory: memory)
    unsafe sha256 = LaneQueue(memory: memory + LaneQueue.byteCount)
    unsafe sha512 = LaneQueue(memory: memory + 2 * LaneQueue.byteCount)
  }

  /// Takes the next request.
  @inline(__always)
  mutating func take(_ index: Int, _ request: VerificationBatch.LoanedRequest, _ caller: some BatchCaller) {
    let task = unsafe request.task
    if case .midstates(.lanes(let plan), let midstates) = unsafe request.material,
      unsafe task.count <= LaneQueue.capacity
    {
      switch unsafe request.algorithm {
      case .sha1: unsafe sha1.take(index, task, plan, midstates, caller)
      case .sha256: unsafe sha256.take(index, task, plan, midstates, caller)
      case .sha512: unsafe sha512.take(index, task, plan, midstates, caller)
      }
    } else {
      // Another backend, or so many counters of one key that they fill lanes by themselves.
      do throws(OTPError) {
        caller.take(.success(try unsafe task.run(with: request.material)), at: index)
      } catch {
        caller.take(.failure(error), at: index)
      }
    }
  }

  /// Computes what is still waiting, and wipes.
  mutating func finish(_ caller: some BatchCaller) {
    unsafe sha1.finish(caller)
    unsafe sha256.finish(caller)
    unsafe sha512.finish(caller)
  }
}
