/// Packs the counters of many requests into full lanes, and deals the values out again.
///
/// Requests wait in a queue for each hash function. A full queue is computed; a request that began in one and goes on in
/// the next keeps its scan.
@unsafe struct BatchPacker {
  private var sha1: LaneQueue
  private var sha256: LaneQueue
  private var sha512: LaneQueue
  private let values: UnsafeMutablePointer<UInt32>

  /// The memory that a packer is lent.
  static var byteCount: Int {
    unsafe 3 * LaneQueue.byteCount + LaneQueue.capacity * MemoryLayout<UInt32>.stride
  }

  /// A packer in memory of ``byteCount`` bytes, aligned for any type.
  init(memory: UnsafeMutableRawPointer) {
    unsafe sha1 = LaneQueue(memory: memory)
    unsafe sha256 = LaneQueue(memory: memory + LaneQueue.byteCount)
    unsafe sha512 = LaneQueue(memory: memory + 2 * LaneQueue.byteCount)
    unsafe values = (memory + 3 * LaneQueue.byteCount).bindMemory(to: UInt32.self, capacity: LaneQueue.capacity)
  }

  /// Whether a request can be packed: not one of another backend, nor one with so many counters of one key that they fill
  /// lanes by themselves.
  static func takes(_ request: VerificationBatch.LoanedRequest) -> Bool {
    guard case .midstates(.lanes, _) = unsafe request.material else { return false }
    return unsafe request.task.count <= LaneQueue.longestRequest
  }

  /// Takes the next request, if it can be packed.
  @inline(__always)
  mutating func take(_ index: Int, _ request: VerificationBatch.LoanedRequest, _ caller: some BatchCaller) -> Bool {
    guard unsafe BatchPacker.takes(request),
      case .midstates(.lanes(let plan), let midstates) = unsafe request.material
    else { return false }
    let task = unsafe request.task
    switch unsafe request.algorithm {
    case .sha1: unsafe sha1.take(index, task, plan, midstates, caller, values: values)
    case .sha256: unsafe sha256.take(index, task, plan, midstates, caller, values: values)
    case .sha512: unsafe sha512.take(index, task, plan, midstates, caller, values: values)
    }
    return true
  }

  /// Computes what is still waiting, and wipes.
  mutating func finish(_ caller: some BatchCaller) {
    unsafe sha1.finish(caller, values: values)
    unsafe sha256.finish(caller, values: values)
    unsafe sha512.finish(caller, values: values)
  }
}
