internal import COTPSupport

/// Counters of many requests with one hash function, waiting until there are enough of them to fill the lanes.
///
/// Its memory is borrowed, and wiped, since it holds submitted codes.
@safe struct LaneQueue {
  /// The most counters that can wait: the lanes of the widest kernel. Twice as many save a measured 1 to 3 % of a
  /// batch's time, but do not fit on the smallest thread's stack.
  static var capacity: Int { Int(OTP_MAX_LANES) }

  /// The most counters that a request to be packed with others may have. More fill the lanes by themselves.
  static var maximumRequestCount: Int { 64 }

  /// A request that has counters in the queue.
  private struct Entry {
    let request: Int
    let task: VerificationTask
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let lanes: UnsafeMutablePointer<otp_lane>
  /// The scan of the first entry, if some of its counters were in earlier fillings of the queue.
  private let begun: UnsafeMutablePointer<MatchScan>
  private var begunCount = 0
  private var plan: OpaquePointer?
  private var laneCount = 0
  private var entryCount = 0
  /// The most entries that there have been at once.
  private var usedEntryCount = 0

  /// The memory that a queue needs.
  static var byteCount: Int {
    unsafe capacity * (MemoryLayout<Entry>.stride + MemoryLayout<otp_lane>.stride) + MemoryLayout<MatchScan>.stride
  }

  /// A queue in memory of ``byteCount`` bytes, aligned for any of these types. Its previous contents are ignored.
  init(memory: UnsafeMutableRawPointer) {
    let afterEntries = unsafe memory + LaneQueue.capacity * MemoryLayout<Entry>.stride
    let afterLanes = unsafe afterEntries + LaneQueue.capacity * MemoryLayout<otp_lane>.stride
    unsafe entries = memory.bindMemory(to: Entry.self, capacity: LaneQueue.capacity)
    unsafe lanes = afterEntries.bindMemory(to: otp_lane.self, capacity: LaneQueue.capacity)
    unsafe begun = afterLanes.bindMemory(to: MatchScan.self, capacity: 1)
  }

  /// Takes all counters of a request, and computes whenever the queue is full.
  ///
  /// - Parameter values: Memory for ``capacity`` values.
  @inline(__always)
  mutating func add(
    _ request: Int, _ task: VerificationTask, _ key: (plan: OpaquePointer, midstates: UnsafePointer<otp_midstates>),
    _ caller: some BatchCaller,
    values: UnsafeMutablePointer<UInt32>
  ) {
    // A key of a different instruction set: compute what is waiting first.
    if unsafe key.plan != plan {
      unsafe compute(caller, values)
      unsafe plan = key.plan
    }

    unsafe (entries + entryCount).initialize(to: Entry(request: request, task: task))
    entryCount += 1
    usedEntryCount = max(usedEntryCount, entryCount)
    for index in 0..<task.count {
      unsafe (lanes + laneCount).initialize(to: otp_lane(key: key.midstates, counter: task.first + UInt64(index)))
      laneCount += 1
      if laneCount == LaneQueue.capacity { unsafe compute(caller, values) }
    }
  }

  /// Computes what is waiting, and wipes the memory that held codes.
  mutating func finish(_ caller: some BatchCaller, values: UnsafeMutablePointer<UInt32>) {
    guard usedEntryCount > 0 else { return }
    unsafe compute(caller, values)
    unsafe otp_wipe_inline(entries, usedEntryCount * MemoryLayout<Entry>.stride)
    unsafe otp_wipe_inline(begun, MemoryLayout<MatchScan>.stride)
  }

  /// Computes all lanes, and passes on the outcomes of the complete requests. Only the last one can be incomplete; it
  /// becomes the first of the next filling.
  private mutating func compute(_ caller: some BatchCaller, _ values: UnsafeMutablePointer<UInt32>) {
    guard let plan = unsafe plan, laneCount > 0 else { return }
    unsafe otp_lanes_count_codes(plan, laneCount)
    unsafe otp_lanes_values(plan, lanes, laneCount, values)

    var value = unsafe values
    let end = unsafe values + laneCount
    for index in 0..<entryCount {
      let entry = unsafe entries + index
      let task = unsafe entry.pointee.task
      var place = index == 0 ? begunCount : 0
      var scan = unsafe place > 0 ? begun.pointee : task.newScan
      while place < task.count, unsafe value < end {
        unsafe task.compare(value.pointee, at: place, into: &scan)
        place += 1
        unsafe value += 1
      }
      if place == task.count {
        unsafe caller.deliver(.success(task.verification(of: scan)), at: entry.pointee.request)
        begunCount = 0
      } else {
        unsafe begun.initialize(to: scan)
        begunCount = place
        unsafe entries[0] = entry.pointee
      }
    }
    unsafe otp_wipe_inline(values, laneCount * MemoryLayout<UInt32>.stride)
    entryCount = begunCount > 0 ? 1 : 0
    laneCount = 0
  }
}
