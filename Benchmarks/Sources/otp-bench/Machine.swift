import Foundation
@_spi(Diagnostics) import OTP

/// The machine that the benchmark runs on.
enum Machine {
  /// The CPU, the instruction set of the engine's kernels or the backend used instead of them, and libcrypto.
  static var description: String {
    get throws {
      let backend = try HMACBackend.standard
      let lanes = backend == .lanes ? HMACBackend.InstructionSet.widest.name : backend.name
      return "\(cpuName), \(lanes), \(OTPEngine.openSSLVersion)"
    }
  }

  /// The CPU's name as the system reports it and, since that is often only a brand, the design, as in
  /// `AMD EPYC (Zen 4)`.
  private static var cpuName: String {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return "unknown" }
    var facts: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if parts.count == 2, facts[parts[0]] == nil { facts[parts[0]] = parts[1] }
    }
    let name = facts["model name"] ?? facts["CPU part"] ?? "unknown"
    let number = { Int(facts[$0] ?? "") ?? -1 }
    let design = design(number("cpu family"), number("model"), stepping: number("stepping"))
    return design.map { "\(name) (\($0))" } ?? name
  }

  /// The x86 designs on which a server is likely to run.
  private static func design(_ family: Int, _ model: Int, stepping: Int) -> String? {
    switch (family, model) {
    case (0x17, 0x30...0xAF): "Zen 2"
    case (0x19, 0x10...0x1F), (0x19, 0x60...0x7F), (0x19, 0xA0...0xAF): "Zen 4"
    case (0x19, _): "Zen 3"
    case (0x1A, 0x00...0x7F): "Zen 5"
    case (6, 85): stepping < 5 ? "Skylake" : "Cascade Lake"
    case (6, 106), (6, 108): "Ice Lake"
    case (6, 143): "Sapphire Rapids"
    case (6, 207): "Emerald Rapids"
    case (6, 173): "Granite Rapids"
    default: nil
    }
  }
}
