/// One row: an operation, and every subject that can perform it.
struct Case {
  let name: String
  /// The subjects, created and checked when their turn comes. The first is ours.
  let subjects: () throws -> [Subject]
}

/// One way to perform a row's operation.
struct Subject {
  let name: String
  /// How it is measured.
  let work: Work

  enum Work {
    /// Performs a number of operations, with inputs that depend on the call's number.
    case calls(operations: Int, (Int) -> Void)
    /// A program that measures itself: the nanoseconds that an operation took.
    case program(() -> Double)
  }

  init(_ name: String, operationsPerCall: Int = 1, call: @escaping (Int) -> Void) {
    self.name = name
    work = .calls(operations: operationsPerCall, call)
  }

  /// A program that measures itself.
  init(_ name: String, measure: @escaping () -> Double) {
    self.name = name
    work = .program(measure)
  }
}

/// The error for a subject that gives a wrong result, or does less work than it claims.
struct WrongAnswer: Error, CustomStringConvertible {
  let row: String
  let subject: String

  var description: String { "\(row): \(subject) gives a wrong answer" }
}

/// Fails unless a subject's result is right.
func require(_ isRight: Bool, _ row: String, _ subject: String) throws {
  guard isRight else { throw WrongAnswer(row: row, subject: subject) }
}

/// Keeps the optimizer from dropping an unused result.
@inline(never) @_optimize(none) func consume<T>(_ result: T) {}

/// The same for the results of verifiers and peers, without the cost of a generic call.
@inline(never) @_optimize(none) func consume(_ result: Bool) {}

/// The same for a number.
@inline(never) @_optimize(none) func consume(_ result: UInt32) {}
