import Keyring

/// What is wrong with a file, and where, by indices: ``VectorFileError`` adds the names of the group and the test.
struct LocatedError: Error {
  let place: Place
  let what: String

  init(_ what: String, at place: Place = Place()) {
    self.place = place
    self.what = what
  }
}

/// A place in a file, counted from 0.
struct Place: Sendable, Equatable {
  private(set) var group: Int?
  private(set) var test: Int?
  /// The path from the innermost of test, group and file, such as `expect.digits`.
  private(set) var field: String?

  init(_ path: [JSONPathElement] = []) {
    var rest = path[...]
    group = Place.takeElement(of: "groups", from: &rest)
    if group != nil { test = Place.takeElement(of: "tests", from: &rest) }
    guard !rest.isEmpty else { return }
    field = rest.map { step in
      switch step {
      case .name(let name): Quotation.name(name)
      case .index(let index): String(index + 1)
      }
    }.joined(separator: ".")
  }

  private static func takeElement(of list: String, from path: inout ArraySlice<JSONPathElement>) -> Int? {
    guard path.first == .name(list), case .index(let index)? = path.dropFirst().first else { return nil }
    path.removeFirst(2)
    return index
  }
}
