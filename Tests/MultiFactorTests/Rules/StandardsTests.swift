import Foundation
import Testing

/// The article that lists the standards' clauses with their tests.
@Suite struct StandardsTests {
  private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  @Test func `Each test that the article on standards names exists, and each clause names one`() throws {
    let article = try String(
      contentsOf: Self.root.appending(path: "Sources/MultiFactor/MultiFactor.docc/Standards.md"), encoding: .utf8)
    var source = ""
    let files = FileManager.default.enumerator(at: Self.root.appending(path: "Tests"), includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      source += try String(contentsOf: file, encoding: .utf8)
    }
    // Each table's last column is that of the tests.
    let rows = article.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasSuffix("| tests |") }
    var clauses = 0
    for row in rows {
      let tests = try #require(row.dropLast().split(separator: "|").last).split(separator: "`").enumerated().filter {
        !$0.offset.isMultiple(of: 2)
      }.map(\.element)
      // "| 3.2.2 | …"
      if row.dropFirst(2).first?.isNumber == true {
        clauses += 1
        #expect(!tests.isEmpty, "\(row)")
      }
      for test in tests { #expect(source.contains("func `\(test)`("), "there is no test \(test)") }
    }
    #expect(clauses > 50)
  }
}
