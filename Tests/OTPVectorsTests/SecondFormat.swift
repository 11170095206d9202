import Foundation
import OTPVectors
import Testing

/// A valid file of the second format with a group of every type, and the limits of its values. The check `vectors`
/// holds the schema and the README to the same.
enum SecondFormat {
  struct Limit: Decodable, Sendable, CustomTestStringConvertible {
    let says: String
    let old: String
    let accepted: [String]?
    let refused: [String]?
    /// Refused by the reader, although no schema can express it.
    let unseen: [String]?

    var testDescription: String { "\(says): \(old)" }
  }

  private struct Limits: Decodable {
    let rows: [Limit]
  }

  static let text = (try? String(contentsOf: file("sample.json"), encoding: .utf8)) ?? ""

  static let limits: [Limit] = {
    let data = (try? Data(contentsOf: file("limits.json"))) ?? Data()
    return (try? JSONDecoder().decode(Limits.self, from: data))?.rows ?? []
  }()

  /// The file with one text, which occurs in it exactly once, replaced.
  static func text(replacing old: String, with new: String) throws -> String {
    let parts = text.split(separator: old, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "\(old) stands in the sample \(parts.count - 1) times")
    return parts[0] + new + parts[1]
  }

  private static func file(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Checks/vectors/\(name)")
  }
}

@Suite struct SecondFormatTests {
  @Test func `the unchanged sample passes`() throws {
    let report = try SampleFile.read(SecondFormat.text).run(on: SampleFile.backends)
    #expect(report.failures.map(\.description) == [])
    #expect(report.passedCount == 14 * SampleFile.backends.count + 10)
  }

  @Test(arguments: SecondFormat.limits)
  func `the reader enforces the limits that the README states`(limit: SecondFormat.Limit) throws {
    for new in limit.accepted ?? [] {
      #expect(SampleFile.refusal(of: try SecondFormat.text(replacing: limit.old, with: new)) == nil, "\(new)")
    }
    for new in (limit.refused ?? []) + (limit.unseen ?? []) {
      #expect(SampleFile.refusal(of: try SecondFormat.text(replacing: limit.old, with: new)) != nil, "\(new)")
    }
  }

  @Test func `there are limits`() {
    #expect(SecondFormat.limits.count > 30)
    #expect(SecondFormat.limits.contains { $0.accepted != nil } && SecondFormat.limits.contains { $0.unseen != nil })
  }

  @Test(arguments: [
    Change(#""id": "steps""#, #""id": "codes""#, "group 3 (totp): id: codes is already in use"),
    Change(#""id": "steps", "#, "", "group 3 (totp): id: missing"),
    Change(#""version": "2.0.0""#, #""version": "3.0.0""#, "version: not 2.N.N"),
    Change(
      #""time": "59", "step": "1","#, #""time": "59", "step": "1", "needs": ["x"],"#, "group 3 (totp), test 1: nee"),
    Change(
      #""flags": ["StepEdge"]"#, #""flags": ["Step"]"#, #"group 3 (totp), test 1: flags: "Step" is not in the list"#),
    Change(#", "flags": ["StepEdge"]"#, "", "group 3 (totp), test 1: flags: missing"),
    Change("092555", "92555", "group 6 (base32-code), test 1: code: not 6 digits"),
    Change("359152", "35915", "group 8 (uri-code), test 2: code: not 6 to 8 digits"),
    Change(
      #""account": "dave""#, #""account": " dave""#, "group 10 (uri-round-trip), test 1: key.account: begins with a"),
    Change(
      #""ours": "rejected""#, #""ours": "acceptable""#,
      "group 11 (verify-totp), test 3: ours: \"acceptable\" is not one"),
    Change(
      #""codes": ["000000"]"#, #""codes": []"#, "group 13 (record-totp), test 1: steps.3.codes: not one to three"),
    Change(
      #""answer": "accepted", "matched": "6""#, #""answer": "yes""#,
      "group 14 (record-hotp), test 1: steps.1.answer: \"yes\" is not one"),
  ])
  func `a refusal says where`(change: Change) throws {
    let refusal = SampleFile.refusal(of: try SecondFormat.text(replacing: change.old, with: change.new))
    #expect(refusal?.hasPrefix(change.outcome) == true, "\(refusal ?? "accepted")")
  }

  @Test(arguments: [
    Change(#""otp-vectors/2""#, #""otp-vectors/1""#, "group 1 (hmac), test 9007199254740991: flags: not a field"),
    Change(#""period": "45""#, #""period": 45"#, "group 10 (uri-round-trip), test 1: key.period: not a decimal number"),
  ])
  func `what only one format allows is refused in the other`(change: Change) throws {
    let refusal = SampleFile.refusal(of: try SecondFormat.text(replacing: change.old, with: change.new))
    #expect(refusal?.hasPrefix(change.outcome) == true, "\(refusal ?? "accepted")")
  }

  @Test(arguments: ["base32-code", "uri-code", "uri-round-trip", "record-totp", "record-hotp"])
  func `the first format does not have the types of the second`(type: String) {
    let group = #"{ "type": "\#(type)", "tests": [ {} ] }"#
    let refusal = SampleFile.refusal(of: SampleFile.text(groups: group))
    #expect(refusal == "group 1 (\(type)): type: \(type) is not in this format")
  }

  @Test(arguments: [
    Change(#""ours": "invalid""#, #""ours": "valid", "hex": "666f6f", "canonical": "MZXW6""#, "lenient"),
    Change(#""text": "mzxw6===", "result""#, #""text": "MZXW6===", "result""#, "strict"),
    Change(#""text": "MZXW6===""#, #""text": "MZXW6""#, "strict"),
    Change("092555", "092556", "base32-codes"),
    Change("MZXW6YT!", "MZXW6YTB", "base32-codes"),
    Change(#""issuer": "Param", "labelIssuer""#, #""issuer": "Label", "labelIssuer""#, "uris"),
    Change(#""time": "59",\#n          "code": "287082""#, #""time": null, "code": "755224""#, "uri-codes"),
    Change(#""time": "59",\#n          "code""#, #""time": "91", "code""#, "uri-codes"),
    Change("359152", "359153", "uri-codes"),
    Change("&counter=2", "&counter=3", "uri-codes"),
    Change("otpauth://totp/alice\"", "otpauth://totp/alice?secret=GEZDGNBV\"", "uri-codes"),
    Change(#""account": "dave""#, #""account": "da:ve""#, "round-trips"),
    Change(#""code": "28 7082""#, #""code": "287082""#, "windows"),
    Change(#""step": "1", "offset": -1"#, #""step": "2", "offset": 0, "otherStep": "1""#, "windows"),
    Change(#""last": "0""#, #""last": "5""#, "sequences"),
    Change(#""window": 3"#, #""window": 4"#, "sequences"),
    Change(#""failuresUntilLock": 2"#, #""failuresUntilLock": 3"#, "sequences"),
    Change(#""lockSeconds": 77"#, #""lockSeconds": 78"#, "sequences"),
    Change(#""firstDelayedFailure": 1,"#, #""firstDelayedFailure": 2,"#, "sequences"),
    Change(#""initialDelaySeconds": 4"#, #""initialDelaySeconds": 5"#, "sequences"),
    Change(#""time": "67""#, #""time": "68""#, "sequences"),
    Change(#""wait", "until": "67""#, #""wait", "until": "68""#, "sequences"),
    Change(#""wait", "until": "67""#, #""locked", "until": "67""#, "sequences"),
    Change(#""locked", "until": "144""#, #""locked", "until": null"#, "sequences"),
    Change(#""matched": "5""#, #""matched": "4""#, "sequences"),
    Change(#"["254676", "287922"]"#, #"["254676", "287923"]"#, "counter-sequences"),
    Change(#""last": null"#, #""last": "5""#, "counter-sequences"),
    Change(#""last": null"#, #""last": "18446744073709551615""#, "counter-sequences"),
    Change(#""resynchronizationLookAhead": 12"#, #""resynchronizationLookAhead": 4"#, "counter-sequences"),
  ])
  func `one wrong value fails its group's test, reported with the group's id`(change: Change) throws {
    let file = try SampleFile.read(SecondFormat.text(replacing: change.old, with: change.new))
    let report = file.run(on: [.evp])
    #expect(report.failures.map(\.groupID) == [change.outcome])
    #expect(report.failures.first?.description.hasPrefix("group \(change.outcome) (") == true)
    #expect(report.passedCount == 23)
  }
}

@Suite struct SelectionTests {
  private let file: VectorFile

  init() throws { file = try SampleFile.read(SecondFormat.text) }

  @Test func `all features select every test, and no features select none`() {
    #expect(file.selecting().testCount == 24)
    #expect(file.selecting(features: Set(VectorFile.features)).testCount == 24)
    #expect(file.selecting(features: []).testCount == 0)
  }

  @Test func `a profile selects the tests whose needs it meets`() {
    #expect(file.selecting(features: ["hotp"]).testCount == 1)
    #expect(file.selecting(features: ["hotp", "64-bit"]).testCount == 2)
    #expect(file.selecting(features: ["64-bit"]).testCount == 0)
    #expect(file.selecting(features: ["verify-totp", "window"]).testCount == 1)
    #expect(file.selecting(features: ["verify-totp", "window", "asymmetric-window", "floor"]).testCount == 3)
    #expect(file.selecting(features: ["base32"]).testCount == 1)
    #expect(file.selecting(features: ["base32", "strict-base32", "weak-secret"]).testCount == 4)
  }

  @Test func `tests can be selected by group and flag, and a test must meet all criteria`() {
    #expect(file.selecting(groupIDs: ["codes", "steps"]).testCount == 3)
    #expect(file.selecting(groupIDs: ["nothing"]).testCount == 0)
    #expect(file.selecting(flags: ["StrictBase32"]).testCount == 2)
    #expect(file.selecting(flags: ["StepEdge", "CounterEnd"]).testCount == 2)
    #expect(file.selecting(groupIDs: ["codes"], flags: ["CounterEnd"], features: ["hotp", "64-bit"]).testCount == 1)
    #expect(file.selecting(groupIDs: ["codes"], flags: ["CounterEnd"], features: ["hotp"]).testCount == 0)
  }

  @Test func `selected tests keep their place and their names`() throws {
    let wrong = try SampleFile.read(
      SecondFormat.text(replacing: "969429\", \"counter\": \"0\"", with: "969428\", \"counter\": \"0\""))
    let report = wrong.selecting(groupIDs: ["counters"], flags: ["LookAhead"]).run(on: [.evp])
    #expect(report.passedCount == 0)
    let failure = try #require(report.failures.first)
    #expect(failure.group == 12 && failure.groupID == "counters" && failure.test == 1)
  }

  @Test func `tests of the first format have no names to select by`() throws {
    let first = try SampleFile.read(SampleFile.text)
    #expect(first.selecting(groupIDs: ["codes"]).testCount == 0)
    #expect(first.selecting(flags: ["LeadingZero"]).testCount == 0)
    #expect(first.selecting(features: []).testCount == 19)
  }

  @Test(arguments: [("flag", VectorFile.flags), ("feature", VectorFile.features)])
  func `the schema lists the same names`(name: String, names: [String]) throws {
    let folder = try #require(VectorFolder.paths.first.map { URL(fileURLWithPath: $0).deletingLastPathComponent() })
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appendingPathComponent("schema.json")))
    let definitions = try #require((schema as? [String: Any])?["$defs"] as? [String: Any])
    let listed = try #require((definitions[name] as? [String: Any])?["enum"] as? [String])
    #expect(listed.sorted() == names.sorted())
  }
}
