/// Why a vector file was refused, and where. A file that is not understood completely is not run at all.
public struct VectorFileError: Error, Sendable, Hashable {
  /// How an error names a test.
  @frozen public enum Test: Sendable, Hashable {
    /// By its id.
    case id(Int)
    /// By its 1-based place in its group, if the id itself is wrong.
    case place(Int)
  }

  /// The file's name, if known: set by the code that opens the file.
  public var file: String?
  /// The 1-based place of the group in the file, if the fault is in a group.
  public let group: Int?
  /// The group's type, if it is a known one.
  public let groupType: String?
  /// The test, if the fault is in a test.
  public let test: Test?
  /// The field, if the fault is in one, and what is wrong.
  public let what: String
}

extension VectorFileError: CustomStringConvertible {
  /// One line, such as `a.json: group 2 (hotp), test 7: counter: missing`.
  public var description: String {
    var location: [String] = []
    if let group { location.append("group \(group)" + (groupType.map { " (\($0))" } ?? "")) }
    switch test {
    case .id(let id): location.append("test \(id)")
    case .place(let place): location.append("test at place \(place)")
    case nil: break
    }
    return [file, location.isEmpty ? nil : location.joined(separator: ", "), what].compactMap(\.self)
      .joined(separator: ": ")
  }
}

extension VectorFileError {
  /// The error for a fault, with the names that the file has at the fault's place.
  init(_ fault: LocatedError, names: PlaceNames?) {
    let place = fault.place
    group = place.group.map { $0 + 1 }
    groupType = names?.groupType
    // A faulty id cannot name the test.
    if let index = place.test {
      test = if place.field != "id", let id = names?.testID { .id(id) } else { .place(index + 1) }
    } else {
      test = nil
    }
    what = if let field = place.field { "\(field): \(fault.what)" } else { fault.what }
  }
}
