// What the article "Verify a code" assumes: a server's own user, encryption, response and screen.

import OTP

struct User {
  var encryptedSecret: [UInt8] = []
  var lastAcceptedStep: UInt64?
  var nextCounter: UInt64? = 0
}

nonisolated(unsafe) var user = User()
let typed = "123 456\n"
let now: Int64 = 59

func refuse() {}
func encrypt(_ bytes: [UInt8]) throws -> [UInt8] { bytes.map { $0 ^ 0x5A } }
func decrypt(_ bytes: [UInt8]) throws -> [UInt8] { bytes.map { $0 ^ 0x5A } }
func showQRCode(_ text: String) { precondition(text.hasPrefix("otpauth://")) }
