import Foundation
import OTP
import OTPVectors
import Testing

@Suite struct ReportTests {
  @Test func `a report counts the tests of each target`() throws {
    let text = try SampleFile.text(replacing: "359152", with: "359153")
    let report = try SampleFile.read(text).run(on: [.evp])
    #expect(report.description == "15 passed, 1 failed (evp), 13 passed")
    #expect(report.tallies.map(\.target) == ["evp", nil])
    #expect(report.passedCount == 28)
    #expect(report.failedCount == 1)
    #expect(
      report.failures.map(\.description) == [
        #"group uri-codes (uri-code), test 2 (evp): code: expected "359153", got "359152""#
      ])
  }

  @Test func `without a backend the tests that need one fail`() throws {
    let report = try SampleFile.read(SampleFile.text).run(on: [])
    #expect(report.passedCount == 13)
    #expect(report.failedCount == 16)
    #expect(report.failures.allSatisfy { $0.target == nil && $0.explanation == "no backend to run on" })
  }

  @Test func `an explanation shows no control characters`() throws {
    let text = try SampleFile.text(replacing: #""account": "alice""#, with: #""account": "\u001b[2J\n""#)
    let report = try SampleFile.read(text).run(on: [.evp])
    #expect(report.failures.map(\.explanation) == [#"account: expected "\u{1b}[2J\u{a}", got "alice""#])
  }

  @Test func `a file keeps its source and the number of its tests`() throws {
    let file = try SampleFile.read(SampleFile.text)
    #expect(file.source == "test")
    #expect(file.testCount == 29)
  }
}

@Suite struct FileTests {
  @Test(arguments: [
    ("/nonexistent/a.json", "cannot be read"), ("/", "not a regular file"), ("/dev/zero", "not a regular file"),
    ("", "not a regular file"), ("\u{0}", ""),
  ])
  func `a path that is not a file is refused with an error that names it`(path: String, what: String) {
    let error = #expect(throws: VectorFileError.self) { try VectorFile(contentsOf: path) }
    #expect(error?.file == path)
    #expect(error?.what.hasPrefix(what) == true)
  }

  @Test func `a broken file's refusal begins with its path`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(SampleFile.text(replacing: "359152", with: "x").utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: VectorFileError.self) { try VectorFile(contentsOf: path) }
    #expect(error?.description == "\(path): group 8 (uri-code), test 2: code: not 6 to 8 digits")
    #expect(error?.test == .id(2))
  }
}
