/// The backend that the environment variable `OTP_BACKEND` requests.
enum OperatorBackend {
  static var isSet: Bool { !(ProcessInfo.processInfo.environment["OTP_BACKEND"] ?? "").isEmpty }

  /// The backend in use, or why there is none.
  static func resolve() throws(ToolError) -> HMACBackend {
    do throws(OTPError) {
      return try HMACBackend.standard
    } catch  where isSet {
      throw .usage("OTP_BACKEND does not name a backend that works here; available: \(HMACBackend.availableNames)")
    } catch {
      throw ToolError(error, status: .software)
    }
  }

  /// Fails if an operator requests a backend that is not available.
  static func check() throws(ToolError) { if isSet { _ = try resolve() } }
}

extension HMACBackend {
  /// The names of all backends, for display.
  static var allNames: String { list(allCases) }
  /// The names of those that work here.
  static var availableNames: String { list(allCases.filter(\.isAvailable)) }

  private static func list(_ backends: [HMACBackend]) -> String { backends.map(\.name).joined(separator: ", ") }
}
