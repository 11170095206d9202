import Foundation
import OTPVectors
import Testing

@Suite struct SelectionTests {
  private let file: VectorFile

  init() throws { file = try SampleFile.read(SampleFile.text) }

  @Test func `all features select every test, and no features select none`() {
    #expect(file.selecting().testCount == 29)
    #expect(file.selecting(features: Set(VectorFile.features)).testCount == 29)
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
      SampleFile.text(replacing: "969429\", \"counter\": \"0\"", with: "969428\", \"counter\": \"0\""))
    let report = wrong.selecting(groupIDs: ["counters"], flags: ["LookAhead"]).run(on: [.evp])
    #expect(report.passedCount == 0)
    let failure = try #require(report.failures.first)
    #expect(failure.group == 12 && failure.groupID == "counters" && failure.test == 1)
  }

  @Test(arguments: [("flag", VectorFile.flags), ("feature", VectorFile.features)])
  func `the schema lists the same flags and features`(name: String, names: [String]) throws {
    let folder = try #require(VectorFolder.paths.first.map { URL(fileURLWithPath: $0).deletingLastPathComponent() })
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appendingPathComponent("schema.json")))
    let definitions = try #require((schema as? [String: Any])?["$defs"] as? [String: Any])
    let listed = try #require((definitions[name] as? [String: Any])?["enum"] as? [String])
    #expect(listed.sorted() == names.sorted())
  }
}
