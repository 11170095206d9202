import CCycles

/// Two classes of inputs that must take the same time.
struct Comparison {
  let name: String
  /// Whether the classes are to be told apart: a leak planted on purpose.
  let isControl: Bool
  /// Puts an input of a class where the work finds it, for both classes at one place; the number varies within the class.
  let prepare: (_ group: Int, _ variation: Int) -> Void
  /// Does the work once: what is timed.
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

  /// The statistic after so many measurements, in random order of the classes. What takes longer than most, when the
  /// system does something else beside, is left out.
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

  /// The time that nine of ten measurements stay within.
  private func slowest(of count: Int, _ random: inout UInt64) -> UInt64 {
    var times: [UInt64] = []
    for _ in 0..<count { times.append(measureOnce(&random).elapsed) }
    return times.sorted()[count * 9 / 10]
  }
}
