internal import COTPKernels

/// Packs the counters of many requests into full lanes, and deals the values out again.
///
/// Requests wait in a queue for each hash function. A full queue is computed; a request that began in one and goes on in
/// the next keeps its scan.
@unsafe struct BatchPacker {
  private var sha1: LaneQueue
  private var sha256: LaneQueue
  private var sha512: LaneQueue

  /// How much memory a packer takes.
  static var byteCount: Int { unsafe 3 * LaneQueue.byteCount }

  /// A packer in memory of ``byteCount`` bytes, aligned for any type.
  init(memory: UnsafeMutableRawPointer) {
    unsafe sha1 = LaneQueue(memory: memory)
    unsafe sha256 = LaneQueue(memory: memory + LaneQueue.byteCount)
    unsafe sha512 = LaneQueue(memory: memory + 2 * LaneQueue.byteCount)
  }

  /// Has requests packed by a packer whose memory is on the stack.
  static func pack(_ body: (inout BatchPacker) -> Void) {
    unsafe withoutActuallyEscaping(body) { body in
      unsafe withUnsafePointer(to: body) { body in
        unsafe precondition(byteCount <= OTP_SCRATCH_BYTES)
        unsafe otp_with_scratch(
          { context, scratch in
            guard let body = unsafe context?.assumingMemoryBound(to: ((inout BatchPacker) -> Void).self),
              let scratch = unsafe scratch
            else { return }
            var packer = unsafe BatchPacker(memory: scratch)
            unsafe body.pointee(&packer)
          }, UnsafeMutableRawPointer(mutating: body))
      }
    }
  }

  /// Takes the next request.
  mutating func take(
    _ index: Int, _ request: VerificationBatch.LoanedRequest, _ deliver: VerificationBatch.Delivery
  ) {
    let task = unsafe request.task
    if case .midstates(.lanes(let plan), let midstates) = unsafe request.material,
      unsafe task.count <= LaneQueue.capacity
    {
      switch unsafe request.algorithm {
      case .sha1: unsafe sha1.take(index, task, plan, midstates, deliver)
      case .sha256: unsafe sha256.take(index, task, plan, midstates, deliver)
      case .sha512: unsafe sha512.take(index, task, plan, midstates, deliver)
      }
    } else {
      // Another backend, or so many counters of one key that they fill lanes by themselves.
      do throws(OTPError) {
        deliver(index, .success(try unsafe task.run(with: request.material)))
      } catch {
        deliver(index, .failure(error))
      }
    }
  }

  /// Computes what is still waiting, and wipes.
  mutating func finish(_ deliver: VerificationBatch.Delivery) {
    unsafe sha1.finish(deliver)
    unsafe sha256.finish(deliver)
    unsafe sha512.finish(deliver)
  }
}
