// says: switch covers known cases, but 'OTPError.Part' may have additional unknown values
// says: switch covers known cases, but 'MultiFactorConfiguration.State' may have additional unknown values
import MultiFactor
import OTP

func isParameter(_ part: OTPError.Part) -> Bool {
  switch part {
  case .secret, .algorithm, .digits, .period, .counter, .parameter: true
  case .uri, .scheme, .type, .authority, .label, .issuer, .account, .fragment: false
  }
}

func isOn(_ state: MultiFactorConfiguration.State) -> Bool {
  switch state {
  case .enabled, .mandatory: true
  case .disabled: false
  }
}
