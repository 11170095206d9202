import Foundation
import OTP
import OTPSeeds

/// The outcome of reading a file: its keys, the refusals, and the error that ended the reading.
struct Reading {
  var seeds: [Seed] = []
  var refused: [SeedRefusal] = []
  var end: SeedRefusal?
  var hasUnverifiedSignature = false

  init(_ format: SeedFormat, _ source: SeedSource) {
    var reader = SeedReader(format, from: source)
    do throws(SeedRefusal) {
      while let record = try reader.next() {
        switch record {
        case .seed(let seed): seeds.append(seed)
        case .refused(let refusal): refused.append(refusal)
        }
      }
    } catch {
      end = error
    }
    hasUnverifiedSignature = reader.hasUnverifiedSignature
  }

  init(_ format: SeedFormat, _ text: String) { self.init(format, SeedSource(bytes: Array(text.utf8))) }

  init(_ format: SeedFormat, file name: String) throws {
    self.init(format, SeedSource(bytes: Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))))
  }

  static func text(ofFile name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Files")

  /// All refusals, as a report shows them.
  var faults: [String] { (refused + [end].compactMap { $0 }).map(\.description) }
}

extension OTPSecret {
  /// A secret from the bytes of a text.
  init(text: String) throws { try self.init(bytes: Array(text.utf8)) }

  init(hex: String) throws {
    let digits = Array(hex)
    try self.init(
      bytes: stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
  }

  /// The secret of RFC 4226 and RFC 6030.
  static var rfc: OTPSecret { get throws { try OTPSecret(text: "12345678901234567890") } }
}
