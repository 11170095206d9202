#if PostgreSQL
import MultiFactor

extension FactorStoreError {
  /// The error for a code from the server.
  init(sqlState: String) {
    let kind: Kind =
      switch sqlState {
      // Out of connections, memory or disk.
      case "53300": .unreachable
      case _ where sqlState.hasPrefix("53"), "54000": .full
      // A lock or statement that took too long, or was cancelled by an administrator.
      case "55P03", "57014": .timeout
      case _ where sqlState.hasPrefix("57P"), _ where sqlState.hasPrefix("08"): .unreachable
      case "25006": .readOnly
      case _ where sqlState.hasPrefix("28"): .authenticationFailed
      case "42501": .forbidden
      case "3D000", "3F000", "42P01": .missing
      case "42703": .foreign
      default: .failed
      }
    self.init(kind, code: "SQLSTATE \(sqlState)")
  }

  /// The kinds after which another attempt to connect may succeed soon, for example while a standby is being promoted.
  private static let passing: [Kind] = [.unreachable, .readOnly, .outdated]

  var isPassing: Bool { Self.passing.contains(kind) }

  /// How much it says, if several hosts fail.
  var weight: Int { Self.passing.firstIndex(of: kind) ?? Self.passing.count }
}
#endif
