// expects: switch covers known cases, but 'AuthError.Reason' may have additional unknown values
import MultiFactor

func isTheStores(_ reason: AuthError.Reason) -> Bool {
  switch reason {
  case .store, .sealing: true
  case .randomness, .smsSender, .appVerifier, .externalFactor, .cryptography, .cancelled: false
  }
}
