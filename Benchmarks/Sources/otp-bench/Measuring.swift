import Foundation

/// An operation, and the subjects that perform it.
struct Row {
  let name: String
  /// The approximate duration of a sample, if not the table's, and the part of the samples that are below the figure.
  var nanoseconds: Double?
  var quantile = 0.5
  /// Creates and checks the subjects when their turn comes. The first is ours.
  let subjects: () async throws -> [Subject]
}

/// One way to perform a row's operation.
struct Subject {
  let name: String
  /// Takes a sample, of about this many nanoseconds: those that one operation takes.
  let sample: (_ nanoseconds: Double) async throws -> Double
}

extension Subject {
  /// Calls, each of which performs a number of operations, with inputs that depend on the call's number.
  init(_ name: String, operationsPerCall: Int, calls: @escaping (Range<Int>) async throws -> Void) {
    var (first, count) = (0, 1)
    self.init(name: name) { nanoseconds in
      while true {
        let start = now()
        try await calls(first..<first + count)
        let elapsed = now() - start
        first += count
        if elapsed > nanoseconds / 2 { return elapsed / Double(count * operationsPerCall) }
        // In the first sample, this also warms everything up.
        count *= elapsed < nanoseconds / 16 ? 8 : 2
      }
    }
  }

  init(_ name: String, operationsPerCall: Int = 1, call: @escaping (Int) -> Void) {
    self.init(name, operationsPerCall: operationsPerCall, calls: { for number in $0 { call(number) } })
  }
}

struct Failure: Error, CustomStringConvertible { let description: String }

/// Fails unless a subject's result is right.
func require(_ isRight: Bool, _ subject: String) throws {
  if !isRight { throw Failure(description: "\(subject) fails, gives a wrong result, or does less than it claims") }
}

/// Keeps the optimizer from dropping an unused result.
@inline(never) @_optimize(none) func consume(_ result: Bool) {}

/// A monotonic clock, in nanoseconds.
private func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) }

/// A Markdown table: each row's time by this engine, and the others' as multiples of it.
struct Table {
  static let head = "| | time | beside it, in multiples of that time |\n|---|---:|---|"
  let rounds: Int
  /// The approximate duration of a sample.
  let nanoseconds: Double

  /// Measures all subjects of a row in turn, round after round, so that disturbances of the machine affect all.
  func line(_ row: Row) async throws -> String {
    let subjects = try await row.subjects()
    var samples = subjects.map { _ in [Double]() }
    for round in 0...rounds {
      for (index, subject) in subjects.enumerated() {
        let sample = try await subject.sample(row.nanoseconds ?? nanoseconds)
        // The first round is for warming up.
        if round > 0 { samples[index].append(sample) }
      }
    }
    let figures = samples.map { Self.figure(of: $0.sorted(), at: row.quantile) }
    let others = zip(subjects, figures).dropFirst().map { subject, figure in
      let doubt = figure.spread + figures[0].spread
      let shown = doubt > 0.1 ? String(format: " ±%.0f %%", doubt * 100) : ""
      return "\(subject.name) \(Self.digits(figure.time / figures[0].time))\(shown)"
    }
    return "| \(row.name) | \(Self.time(figures[0].time)) | \(others.joined(separator: ", ")) |"
  }

  /// The quantile, and half the distance between the first and the last decile as a fraction of it.
  private static func figure(of sorted: [Double], at quantile: Double) -> (time: Double, spread: Double) {
    let last = sorted.count - 1
    let place = quantile * Double(last)
    let time = (sorted[Int(place)] + sorted[Int(place.rounded(.up))]) / 2
    return (time, (sorted[last - last / 10] - sorted[last / 10]) / 2 / time)
  }

  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<10_000: "\(digits(nanoseconds)) ns"
    case ..<10_000_000: "\(digits(nanoseconds / 1000)) µs"
    default: "\(digits(nanoseconds / 1_000_000)) ms"
    }
  }

  /// A number with three digits, or all before the point.
  private static func digits(_ number: Double) -> String {
    String(format: number < 9.995 ? "%.2f" : number < 99.95 ? "%.1f" : "%.0f", number)
  }
}
