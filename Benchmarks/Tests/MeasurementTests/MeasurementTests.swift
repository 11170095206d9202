import Foundation
import Testing

@testable import Measurement

@Suite struct MeasurementTests {
  @Test func `the median does not depend on the order`() {
    #expect(Samples([5, 1, 3]).median == 3)
    #expect(Samples([4, 1, 3, 2]).median == 2.5)
    #expect(Samples([7]).median == 7)
  }

  @Test func `one slow round changes neither the median nor the spread`() {
    let samples = Samples(Array(repeating: 10.0, count: 20) + [1000])
    #expect(samples.median == 10)
    #expect(samples.spread == 0)
  }

  @Test func `the spread is half the distance between the first and last deciles`() {
    #expect(abs(Samples((90...110).map(Double.init)).spread - 0.08) < 1e-9)
  }

  private static let report = BenchmarkReport(
    machine: .init(cpu: "C", openssl: "O", lanes: "avx512"),
    rows: [
      .init(name: "a/b", subject: "swift-otp", ns: 8, unit: "code", spread: 0.01),
      .init(name: "a/b", subject: "peer", ns: 20, unit: "code", spread: 0.123),
      .init(name: "c", subject: "peer", ns: 1234.56, unit: "code", spread: 0),
    ])

  @Test func `the JSON has the field names of the format`() throws {
    let data = try JSONEncoder().encode(MeasurementTests.report)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["format"] as? String == "otp-bench/1")
    #expect(object["machine"] as? [String: String] == ["cpu": "C", "openssl": "O", "lanes": "avx512"])
    let rows = try #require(object["rows"] as? [[String: Any]])
    #expect(rows.count == 3)
    #expect(Set(rows[1].keys) == ["name", "subject", "ns", "unit", "spread"])
    #expect(try JSONDecoder().decode(BenchmarkReport.self, from: data) == MeasurementTests.report)
  }

  @Test func `the table shows each peer's time as a multiple of the engine's`() {
    #expect(
      Table(MeasurementTests.report).description == """
        row  subject        ns    ±  unit  × swift-otp
        a/b  swift-otp     8.0   1%  code
             peer         20.0  12%  code         2.50
        c    peer       1234.6   0%  code
        """)
  }

  @Test(arguments: [(10.0, 0.0, 0.0, false), (10.5, 0.02, 0.02, false), (10.3, 0.02, 0.02, true), (30, 0.2, 0.1, true)])
  func `a ratio that the spread makes meaningless is marked`(ns: Double, own: Double, peer: Double, isMarked: Bool) {
    let report = BenchmarkReport(
      machine: .init(cpu: "C", openssl: "O", lanes: "avx512"),
      rows: [
        .init(name: "a", subject: "swift-otp", ns: 10, unit: "code", spread: own),
        .init(name: "a", subject: "peer", ns: ns, unit: "code", spread: peer),
      ])
    #expect(report.isRatioMeaningless(of: report.rows[1]) == isMarked)
    #expect(!report.isRatioMeaningless(of: report.rows[0]))
    #expect(Table(report).description.contains("?") == isMarked)
  }

  @Test(arguments: [(0.0, 1, "0.0"), (0.05, 1, "0.1"), (12.345, 2, "12.35"), (9.999, 1, "10.0"), (7, 0, "7")])
  func `numbers are rounded to the given digits`(value: Double, digits: Int, text: String) {
    #expect(Table.number(value, digits: digits) == text)
  }
}
