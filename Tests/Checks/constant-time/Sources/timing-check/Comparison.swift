import CCycles

/// Two classes of inputs that must take the same time.
struct Comparison {
  let name: String
  /// Whether the classes must be told apart, since a leak is planted.
  let isControl: Bool
  /// Puts an input of a class where the work reads it, at the same address for both classes; the number selects an
  /// input of the class.
  let prepare: (_ group: Int, _ variation: Int) -> Void
  /// Does the timed work once.
  let work: () -> Void

  init(
    _ name: String, isControl: Bool = false, prepare: @escaping (_ group: Int, _ variation: Int) -> Void,
    work: @escaping () -> Void
  ) {
    self.name = name
    self.isControl = isControl
    self.prepare = prepare
    self.work = work
  }

  /// The statistic after this many measurements, with the classes in random order. Measurements that take longer than
  /// most, when the system was busy, are left out.
  func measure(count: Int) -> Double {
    var random = UInt64(0x9E37_79B9_7F4A_7C15)
    let limit = slowest(of: 2000, &random)
    var test = WelchTest()
    for _ in 0..<count {
      let (group, elapsed) = measureOnce(&random)
      if elapsed <= limit { test.add(Double(elapsed), to: group) }
    }
    return test.t
  }

  private func measureOnce(_ random: inout UInt64) -> (group: Int, elapsed: UInt64) {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let group = Int(random >> 63)
    let variation = Int(random >> 40 & 0xF)
    prepare(group, variation)
    let start = cycles_now()
    work()
    return (group, cycles_now() - start)
  }

  /// The time that nine of ten measurements do not exceed.
  private func slowest(of count: Int, _ random: inout UInt64) -> UInt64 {
    var times: [UInt64] = []
    for _ in 0..<count { times.append(measureOnce(&random).elapsed) }
    return times.sorted()[count * 9 / 10]
  }
}
