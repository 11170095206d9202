// Another package's switches over enums that can grow and enums that are complete. No warning.
import MultiFactor
import MultiFactorSQLite
import OTP

func canGrow(_ error: OTPError, _ event: AuditEvent, _ failure: FactorStoreError) -> Bool {
  switch error.code {
  case .backendUnavailable: return true
  default: break
  }
  switch event.kind {
  case .failed: return true
  default: break
  }
  switch failure.kind {
  case .authenticationFailed, .cannotOpen, .corrupt, .exists, .failed, .forbidden, .foreign, .full,
    .invalidConfiguration, .missing, .newerVersion, .notDurable, .olderVersion, .outcomeUnknown, .outdated, .overloaded,
    .readOnly, .replaced, .severalNames, .timeout, .unreachable, .untrusted:
    return true
  @unknown default: return false
  }
}

func isComplete(_ verification: Verification, _ digits: OTPCode.Digits) -> Bool {
  switch (verification, digits) {
  case (.accepted, .six), (.accepted, .seven), (.accepted, .eight): true
  case (.replayed, _), (.rejected, _): false
  }
}
