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

  func measure(_ item: Case) throws -> [BenchmarkReport.Row] {
    let subjects = try item.subjects()
    let counts = subjects.map(calibrate)
    var samples = subjects.map { _ in [Double]() }
    var input = 0
    for _ in 0..<rounds {
      for index in subjects.indices {
        if let measure = subjects[index].measure {
          samples[index].append(measure())
          continue
        }
        let start = Runner.now()
        for _ in 0..<counts[index] {
          input &+= 1
          subjects[index].call(input)
        }
        let elapsed = Runner.now() - start
        samples[index].append(elapsed / Double(counts[index] * subjects[index].operationsPerCall))
      }
    }
    return zip(subjects, samples).map { .init(item, $0, samples: $1) }
  }

  /// The number of calls in one sample; finding it also warms everything up.
  private func calibrate(_ subject: Subject) -> Int {
    guard subject.measure == nil else { return 0 }
    var count = 1
    while true {
      let start = Runner.now()
      for input in 0..<count { subject.call(input) }
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
