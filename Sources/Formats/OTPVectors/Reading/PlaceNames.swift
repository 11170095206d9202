import Keyring

/// The group's type and the test's id at a place in a file. They are read to report a fault, from a file that is wrong
/// somewhere, so each may be missing.
struct PlaceNames {
  let groupType: String?
  let testID: Int?

  init(at place: Place, in json: JSONText) {
    func element(_ index: Int?, of list: String, in object: JSONValue?) -> JSONValue? {
      guard let index, let elements = object?[list]?.elements, index < elements.count else { return nil }
      return elements[index]
    }
    let group = element(place.group, of: "groups", in: json.beginning)
    groupType = group?["type"]?.string.flatMap(GroupType.init)?.rawValue
    let id: Int? = element(place.test, of: "tests", in: group)?["id"]?.whole()
    testID = id.flatMap { $0 < 1 ? nil : $0 }
  }
}
