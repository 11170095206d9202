/// One row: an operation, and everything that can do it.
struct Case {
  let name: String
  /// What one operation is.
  let unit: String
  /// The subjects, made and checked when their turn comes.
  let subjects: () throws -> [Subject]
}

/// One way to do a row's operation.
struct Subject {
  let name: String
  /// How many operations one call does.
  let operationsPerCall: Int
  /// Does the work with inputs that the number varies.
  let call: (Int) -> Void
  /// How many nanoseconds an operation took, of a program that measures itself; it is asked in place of `call`.
  let measure: (() -> Double)?

  /// A program that measures itself.
  init(_ name: String, measure: @escaping () -> Double) {
    self.name = name
    self.measure = measure
    operationsPerCall = 1
    call = { _ in }
  }

  init(_ name: String, operationsPerCall: Int = 1, call: @escaping (Int) -> Void) {
    self.name = name
    self.operationsPerCall = operationsPerCall
    self.call = call
    measure = nil
  }
}

/// A subject that gives a wrong answer, or does less work than it claims.
struct WrongAnswer: Error, CustomStringConvertible {
  let row: String
  let subject: String

  var description: String { "\(row): \(subject) gives a wrong answer" }
}

/// Fails unless a subject did right.
func require(_ isRight: Bool, _ row: String, _ subject: String) throws {
  guard isRight else { throw WrongAnswer(row: row, subject: subject) }
}

/// Keeps the optimiser from dropping a result that nobody looks at.
@inline(never) @_optimize(none) func consume<T>(_ result: T) {}

/// The same for what verifiers and peers give, without the cost of a generic call.
@inline(never) @_optimize(none) func consume(_ result: Bool) {}

/// The same for a number.
@inline(never) @_optimize(none) func consume(_ result: UInt32) {}
