/// Whether a test's input is one to take or one to refuse.
enum Validity: String, CaseIterable, Sendable {
  case valid, invalid
}
