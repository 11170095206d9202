// expects: switch covers known cases, but 'OTPError.Part' may have additional unknown values
import OTP

func isParameter(_ part: OTPError.Part) -> Bool {
  switch part {
  case .secret, .algorithm, .digits, .period, .counter, .parameter: true
  case .uri, .scheme, .type, .authority, .label, .issuer, .account, .fragment: false
  }
}
