import CTaint
import OTP

/// One use of the engine with everything secret tainted. Memcheck's reports are counted around it.
struct Scenario {
  let name: String
  /// Whether the scenario contains a leak on purpose, which must be reported.
  var isControl = false
  let run: () throws -> Void
}

/// A fault of the scenario itself.
struct ScenarioError: Error, CustomStringConvertible {
  let description: String
}

/// The scenarios that must run without a report, and the controls that must not.
func allScenarios() -> [Scenario] {
  base32Scenarios() + keyURIScenarios() + typedCodeScenarios() + [recoveryCodeScenario()] + codeScenarios()
    + verificationScenarios() + bulkScenarios() + controlScenarios()
}

/// RFC 4226's secret.
let seed = Array("12345678901234567890".utf8)

func taintedSecret(_ bytes: [UInt8] = seed) throws -> OTPSecret {
  let secret = try TaintedBytes(bytes).withBytes { bytes in try OTPSecret(bytes: bytes) }
  try secret.withBytes { bytes in try requireTainted(bytes[0]) }
  return secret
}

func taintedCode(_ text: String) throws -> SubmittedCode {
  let code = try TaintedBytes(text.utf8).withBytes { text in try SubmittedCode(utf8: text) }
  try requireTainted(code)
  return code
}

/// Without taint, a scenario would be silent whatever the engine does.
func requireTainted<T>(_ value: T) throws {
  guard isTainted(value) else {
    throw ScenarioError(description: "the taint was lost on the way, so the scenario proves nothing")
  }
}

/// Verifies, and checks that the outcome is right and left the engine as one declassified value: none would mean that
/// the taint was lost, and more than one that more than the outcome was revealed.
func expectVerification(_ expected: Verification, _ verify: () throws -> Verification) throws {
  let before = ct_declassification_count()
  let found = try verify()
  let count = ct_declassification_count() - before
  guard found == expected else { throw ScenarioError(description: "\(found) is not \(expected)") }
  guard count == 1 else { throw ScenarioError(description: "\(count) secrets were declassified instead of 1") }
}
