// What the article "Verify a code" takes for granted: a server's own user, answer and screen.

import OTP

struct User {
  var lastAcceptedStep: UInt64?
  var nextCounter: UInt64? = 0
}

nonisolated(unsafe) var user = User()
let typed = "123456"
let now: Int64 = 59

func refuse() {}
func showQRCode(_ text: String) { precondition(text.hasPrefix("otpauth://")) }
