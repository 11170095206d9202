import Foundation
@_spi(Diagnostics) import OTP
import OTPVectors
import Testing

/// The files in `vectors/`.
enum VectorFolder {
  static let paths: [String] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("vectors")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".json") && $0 != "schema.json" }.sorted()
      .map { folder.appendingPathComponent($0).path }
  }()
}

@Suite struct VectorFolderTests {
  @Test(arguments: VectorFolder.paths)
  func `every file passes on every available backend`(path: String) throws {
    let backends = HMACBackend.present
    let file = try VectorFile(contentsOf: path)
    let report = file.run(on: backends)
    #expect(report.failures.map(\.description) == [])
    #expect(report.tallies.allSatisfy { $0.passedCount > 0 })
    #expect(report.passedCount >= file.testCount)
  }

  @Test func `the files that the documentation promises are there`() throws {
    let count = try VectorFolder.paths.reduce(0) { try $0 + VectorFile(contentsOf: $1).testCount }
    #expect(count >= 250)
  }
}
