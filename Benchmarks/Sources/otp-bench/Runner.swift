#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Measures rows: all subjects of a row in turn, round after round, so that disturbances of the machine affect all.
struct Runner {
  let rounds: Int
  /// The approximate duration of one sample.
  let sampleNanoseconds: Double

  static let full = Runner(rounds: 31, sampleNanoseconds: 3e6)
  static let quick = Runner(rounds: 9, sampleNanoseconds: 0.6e6)

  func measure(_ item: Case) throws -> [Figure] {
    let subjects = try item.subjects()
    let counts = subjects.map(calibrate)
    var samples = subjects.map { _ in [Double]() }
    var input = 0
    for round in 0..<rounds {
      for index in subjects.indices {
        switch subjects[index].work {
        case .program(let measure):
          // It takes many samples itself.
          if round.isMultiple(of: 4) { samples[index].append(measure()) }
        case .calls(let operations, let call):
          let start = Runner.now()
          for _ in 0..<counts[index] {
            input &+= 1
            call(input)
          }
          samples[index].append((Runner.now() - start) / Double(counts[index] * operations))
        }
      }
    }
    return zip(subjects, samples).map { Figure($0.name, samples: $1) }
  }

  /// The number of calls in one sample; finding it also warms everything up.
  private func calibrate(_ subject: Subject) -> Int {
    guard case .calls(_, let call) = subject.work else { return 0 }
    var count = 1
    while true {
      let start = Runner.now()
      for input in 0..<count { call(input) }
      let elapsed = Runner.now() - start
      if elapsed >= sampleNanoseconds { return count }
      count = elapsed < sampleNanoseconds / 16 ? count * 8 : count * 2
    }
  }

  /// A monotonic clock, in nanoseconds.
  private static func now() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// A subject's time for an operation.
struct Figure {
  let subject: String
  /// The median over the rounds.
  let nanoseconds: Double
  /// Half the distance between the first and the last decile of the samples, as a fraction of the median.
  let spread: Double

  /// - Parameter samples: The times in nanoseconds, one for each round.
  init(_ subject: String, samples: [Double]) {
    let sorted = samples.sorted()
    let last = sorted.count - 1
    self.subject = subject
    nanoseconds = (sorted[last / 2] + sorted[sorted.count / 2]) / 2
    spread = (sorted[last - last / 10] - sorted[last / 10]) / 2 / nanoseconds
  }
}
