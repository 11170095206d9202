internal import COTPKernels

/// Counters of many requests with one hash function, waiting until there are enough of them to fill lanes.
///
/// Its memory is allocated once a batch, with the first request, and wiped: it holds submitted codes and values.
@unsafe struct LaneQueue {
  /// How many counters wait at the most, and how many a request may have to be packed with others.
  static var capacity: Int { 64 }

  /// A request that has counters in the queue.
  private struct Entry {
    let request: Int
    let task: VerificationTask
    var scan: MatchScan
    /// How many of its counters were dealt with before this filling of the queue, and are in it.
    var doneCount = 0
    var waitingCount = 0
  }

  @unsafe private struct Memory {
    let lanes: UnsafeMutablePointer<otp_lane>
    let values: UnsafeMutablePointer<UInt32>
    let entries: UnsafeMutablePointer<Entry>
  }

  private var plan: OpaquePointer?
  private var memory: Memory?
  private var laneCount = 0
  private var entryCount = 0

  /// Takes all counters of a request, and computes whenever the queue is full.
  mutating func take(
    _ request: Int, _ task: VerificationTask, _ plan: OpaquePointer, _ midstates: UnsafePointer<otp_midstates>,
    _ outcomes: UnsafeMutableBufferPointer<VerificationBatch.Outcome>
  ) {
    // Keys of another instruction set than those before: what waits is computed first.
    if unsafe plan != self.plan {
      unsafe compute(outcomes)
      unsafe self.plan = plan
    }
    let memory = unsafe self.memory ?? LaneQueue.allocate()
    unsafe self.memory = memory

    unsafe (memory.entries + entryCount).initialize(
      to: Entry(request: request, task: task, scan: MatchScan(for: task.code)))
    unsafe entryCount += 1
    for index in 0..<task.count {
      unsafe (memory.lanes + laneCount).initialize(
        to: otp_lane(key: midstates, counter: task.counters.lowerBound + UInt64(index)))
      unsafe laneCount += 1
      // The entry may have moved to the front.
      unsafe memory.entries[entryCount - 1].waitingCount += 1
      if unsafe laneCount == LaneQueue.capacity { unsafe compute(outcomes) }
    }
  }

  /// Computes what is waiting, wipes and releases.
  mutating func finish(_ outcomes: UnsafeMutableBufferPointer<VerificationBatch.Outcome>) {
    unsafe compute(outcomes)
    guard let memory = unsafe memory else { return }
    unsafe otp_wipe(memory.entries, LaneQueue.capacity * MemoryLayout<Entry>.stride)
    unsafe memory.lanes.deallocate()
    unsafe memory.values.deallocate()
    unsafe memory.entries.deallocate()
    unsafe self.memory = nil
  }

  private static func allocate() -> Memory {
    unsafe Memory(
      lanes: .allocate(capacity: capacity), values: .allocate(capacity: capacity),
      entries: .allocate(capacity: capacity))
  }

  /// Computes all lanes, and writes the outcomes of the requests that are through. At most the last one is not.
  private mutating func compute(_ outcomes: UnsafeMutableBufferPointer<VerificationBatch.Outcome>) {
    guard let plan = unsafe plan, let memory = unsafe memory, unsafe laneCount > 0 else { return }
    unsafe otp_lanes_values(plan, memory.lanes, laneCount, memory.values)

    var value = unsafe memory.values
    for index in 0..<(unsafe entryCount) {
      let entry = unsafe memory.entries + index
      for _ in 0..<(unsafe entry.pointee.waitingCount) {
        unsafe entry.pointee.task.take(value.pointee, at: entry.pointee.doneCount, into: &entry.pointee.scan)
        unsafe entry.pointee.doneCount += 1
        unsafe value += 1
      }
      unsafe entry.pointee.waitingCount = 0
      if unsafe entry.pointee.doneCount == entry.pointee.task.count {
        unsafe outcomes[entry.pointee.request] = .success(entry.pointee.task.verification(of: entry.pointee.scan))
      }
    }
    unsafe otp_wipe_inline(memory.values, laneCount * MemoryLayout<UInt32>.stride)

    let last = unsafe memory.entries[entryCount - 1]
    let isThrough = last.doneCount == last.task.count
    if !isThrough { unsafe memory.entries[0] = last }
    unsafe entryCount = isThrough ? 0 : 1
    unsafe laneCount = 0
  }
}
