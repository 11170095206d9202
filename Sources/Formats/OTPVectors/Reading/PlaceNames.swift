import StrictJSON

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The group's type and the test's id at a place in a file. They are read to report a fault, from a file that is wrong
/// somewhere, so each may be missing.
struct PlaceNames: Decodable {
  private(set) var groupType: String?
  private(set) var testID: Int?

  private static let placeKey = CodingUserInfoKey(rawValue: "place")

  static func read(at place: Place, in json: some Collection<UInt8>) -> PlaceNames? {
    guard place.group != nil, let placeKey else { return nil }
    let decoder = JSONDecoder()
    decoder.userInfo[placeKey] = place
    return try? decoder.decode(PlaceNames.self, from: Data(json))
  }

  init(from decoder: any Decoder) throws {
    guard let key = PlaceNames.placeKey, let place = decoder.userInfo[key] as? Place, let groupIndex = place.group
    else { return }
    let file = try decoder.container(keyedBy: FieldName.self)
    guard let group = try? PlaceNames.element(groupIndex, of: "groups", in: file) else { return }
    groupType = (try? group.decode(String.self, forKey: "type")).flatMap(GroupType.init)?.rawValue
    guard let testIndex = place.test, let test = try? PlaceNames.element(testIndex, of: "tests", in: group) else {
      return
    }
    testID = try? test.decode(Int.self, forKey: "id")
    if let id = testID, id < 1 { testID = nil }
  }

  private static func element(
    _ index: Int, of list: FieldName, in object: KeyedDecodingContainer<FieldName>
  ) throws -> KeyedDecodingContainer<FieldName> {
    var list = try object.nestedUnkeyedContainer(forKey: list)
    for _ in 0..<index { _ = try list.superDecoder() }
    return try list.nestedContainer(keyedBy: FieldName.self)
  }
}
