// expects: switch covers known cases, but 'MultiFactorConfiguration.State' may have additional unknown values
import MultiFactor

func isOn(_ state: MultiFactorConfiguration.State) -> Bool {
  switch state {
  case .enabled, .mandatory: true
  case .disabled: false
  }
}
