internal import COTPSupport

/// Packs the counters of many requests into full lanes, and distributes the values to the requests.
///
/// Requests wait in one queue per hash function. A queue is computed when it is full; a request that continues after
/// that keeps its scan.
@safe struct BatchPacker {
  private let queues: UnsafeMutablePointer<LaneQueue>
  private let values: UnsafeMutablePointer<UInt32>

  private static var queueCount: Int { Int(OTP_HASH_COUNT) }

  /// The memory that a packer needs.
  static var byteCount: Int {
    queueCount * (MemoryLayout<LaneQueue>.stride + LaneQueue.byteCount)
      + LaneQueue.capacity * MemoryLayout<UInt32>.stride
  }

  /// A packer in memory of ``byteCount`` bytes, aligned for any type.
  init(memory: UnsafeMutableRawPointer) {
    unsafe queues = memory.bindMemory(to: LaneQueue.self, capacity: BatchPacker.queueCount)
    var rest = unsafe memory + BatchPacker.queueCount * MemoryLayout<LaneQueue>.stride
    for index in 0..<BatchPacker.queueCount {
      unsafe (queues + index).initialize(to: LaneQueue(memory: rest))
      unsafe rest += LaneQueue.byteCount
    }
    unsafe values = rest.bindMemory(to: UInt32.self, capacity: LaneQueue.capacity)
  }

  /// Whether a request can be packed. One of the backend `evp` cannot, nor one with enough counters to fill the lanes
  /// by itself.
  static func packs(_ request: VerificationBatch.LoanedRequest) -> Bool { unsafe lanes(of: request) != nil }

  @inline(__always)
  private static func lanes(
    of request: VerificationBatch.LoanedRequest
  ) -> (plan: OpaquePointer, midstates: UnsafePointer<otp_midstates>)? {
    request.task.count <= LaneQueue.maximumRequestCount ? unsafe request.material.lanes : nil
  }

  /// Takes the next request, if it can be packed.
  @inline(__always)
  func add(_ index: Int, _ request: VerificationBatch.LoanedRequest, _ caller: some BatchCaller) -> Bool {
    guard let key = unsafe BatchPacker.lanes(of: request) else { return false }
    let hash = unsafe Int(otp_lane_plan_hash(key.plan).rawValue)
    unsafe queues[hash].add(index, request.task, key, caller, values: values)
    return true
  }

  /// Computes what is still waiting, and wipes the queues.
  func finish(_ caller: some BatchCaller) {
    for index in 0..<BatchPacker.queueCount { unsafe queues[index].finish(caller, values: values) }
  }
}
