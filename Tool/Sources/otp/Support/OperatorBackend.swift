import ArgumentParser
import Foundation
import OTP

/// What the environment variable `OTP_BACKEND` asks for.
enum OperatorBackend {
  static var isSet: Bool { ProcessInfo.processInfo.environment["OTP_BACKEND"].map { !$0.isEmpty } ?? false }

  /// The backend that serves, or why none does.
  static func resolve() throws(ToolError) -> HMACBackend {
    do throws(OTPError) {
      return try HMACBackend.standard
    } catch  where isSet {
      throw .usage("OTP_BACKEND names no backend that works here; there are \(HMACBackend.availableNames)")
    } catch {
      throw ToolError(error, status: .software)
    }
  }

  /// Fails where an operator asks for what is not there: also in commands that compute no code, so that a wrong
  /// setting shows at once.
  static func check() throws(ToolError) {
    if isSet { _ = try resolve() }
  }
}

/// A command that heeds `OTP_BACKEND`: every one but `info`, which reports it.
protocol EngineCommand: ParsableCommand {
  /// Does what the command is for.
  func execute() throws
}

extension EngineCommand {
  func run() throws {
    try OperatorBackend.check()
    try execute()
  }
}

extension HMACBackend {
  /// The names of all backends, for people.
  static var allNames: String { list(allCases) }
  /// The names of those that work here.
  static var availableNames: String { list(available) }

  private static func list(_ backends: [HMACBackend]) -> String { backends.map(\.name).joined(separator: ", ") }
}
