import Foundation
import Measurement
import OTP

extension BenchmarkReport.Machine {
  /// The machine that the benchmark runs on.
  static func current() throws -> BenchmarkReport.Machine {
    let backend = try HMACBackend.standard
    return .init(
      cpu: cpuName, openssl: OTPEngine.openSSLVersion,
      lanes: backend == .lanes ? HMACBackend.InstructionSet.widest.name : backend.name)
  }

  private static var cpuName: String {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return "unknown" }
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") || $0.hasPrefix("CPU part") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
  }
}
