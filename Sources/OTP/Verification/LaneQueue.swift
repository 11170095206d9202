internal import COTPKernels

/// Counters of many requests with one hash function, waiting until there are enough of them to fill lanes.
///
/// Its memory is lent, and wiped: it holds submitted codes and values.
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

  private let entries: UnsafeMutablePointer<Entry>
  private let lanes: UnsafeMutablePointer<otp_lane>
  private let values: UnsafeMutablePointer<UInt32>
  private var plan: OpaquePointer?
  private var isUsed = false
  private var laneCount = 0
  private var entryCount = 0

  /// The memory that a queue is lent.
  static var byteCount: Int {
    unsafe capacity * (MemoryLayout<Entry>.stride + MemoryLayout<otp_lane>.stride + MemoryLayout<UInt32>.stride)
  }

  /// A queue in memory of ``byteCount`` bytes, aligned for any type. What is in it before is nobody's.
  init(memory: UnsafeMutableRawPointer) {
    let afterEntries = unsafe memory + LaneQueue.capacity * MemoryLayout<Entry>.stride
    let afterLanes = unsafe afterEntries + LaneQueue.capacity * MemoryLayout<otp_lane>.stride
    unsafe entries = memory.bindMemory(to: Entry.self, capacity: LaneQueue.capacity)
    unsafe lanes = afterEntries.bindMemory(to: otp_lane.self, capacity: LaneQueue.capacity)
    unsafe values = afterLanes.bindMemory(to: UInt32.self, capacity: LaneQueue.capacity)
  }

  /// Takes all counters of a request, and computes whenever the queue is full.
  mutating func take(
    _ request: Int, _ task: VerificationTask, _ plan: OpaquePointer, _ midstates: UnsafePointer<otp_midstates>,
    _ caller: some BatchCaller
  ) {
    // Keys of another instruction set than those before: what waits is computed first.
    if unsafe plan != self.plan {
      unsafe compute(caller)
      unsafe self.plan = plan
    }
    unsafe isUsed = true

    unsafe (entries + entryCount).initialize(
      to: Entry(request: request, task: task, scan: MatchScan(for: task.code)))
    unsafe entryCount += 1
    for index in 0..<task.count {
      unsafe (lanes + laneCount).initialize(
        to: otp_lane(key: midstates, counter: task.counters.lowerBound + UInt64(index)))
      unsafe laneCount += 1
      // The entry may have moved to the front.
      unsafe entries[entryCount - 1].waitingCount += 1
      if unsafe laneCount == LaneQueue.capacity { unsafe compute(caller) }
    }
  }

  /// Computes what is waiting, and wipes.
  mutating func finish(_ caller: some BatchCaller) {
    unsafe compute(caller)
    if unsafe isUsed { unsafe otp_wipe(entries, LaneQueue.capacity * MemoryLayout<Entry>.stride) }
  }

  /// Computes all lanes, and writes the outcomes of the requests that are through. At most the last one is not.
  private mutating func compute(_ caller: some BatchCaller) {
    guard let plan = unsafe plan, unsafe laneCount > 0 else { return }
    unsafe otp_lanes_values(plan, lanes, laneCount, values)

    var value = unsafe values
    for index in 0..<(unsafe entryCount) {
      let entry = unsafe entries + index
      for _ in 0..<(unsafe entry.pointee.waitingCount) {
        unsafe entry.pointee.task.take(value.pointee, at: entry.pointee.doneCount, into: &entry.pointee.scan)
        unsafe entry.pointee.doneCount += 1
        unsafe value += 1
      }
      unsafe entry.pointee.waitingCount = 0
      if unsafe entry.pointee.doneCount == entry.pointee.task.count {
        unsafe caller.take(
          .success(entry.pointee.task.verification(of: entry.pointee.scan)), at: entry.pointee.request)
      }
    }
    unsafe otp_wipe_inline(values, laneCount * MemoryLayout<UInt32>.stride)

    let last = unsafe entries[entryCount - 1]
    let isThrough = last.doneCount == last.task.count
    if !isThrough { unsafe entries[0] = last }
    unsafe entryCount = isThrough ? 0 : 1
    unsafe laneCount = 0
  }
}
