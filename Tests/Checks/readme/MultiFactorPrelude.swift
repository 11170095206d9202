// What the multi-factor layer's articles assume: a host server's users, pages and sessions, and the results of earlier
// steps. Their blocks are compiled and never called, and so is everything here.

func given<Value>(_: Value.Type = Value.self) -> Value { preconditionFailure("an article is not run") }

var auth: MultiFactorAuth { given() }
var store: InMemoryFactorStore { given() }
var keyring: Keyring { given() }
var keyFromService: OTPSecret { given() }
var oldKeyFromService: OTPSecret { given() }
var hashKeyFromService: OTPSecret { given() }
var storeIDFromService: String? { given() }

var principal: Principal { given() }
var currentUser: User { given() }
var resolver: MultiFactorResolver { given() }
var factorUID: String { given() }
var selectedIndex: Int { given() }

var file: Int32 { given() }
var userID: String { given() }

var code: String { given() }
var smsCode: String { given() }
var typed: String { given() }
var oldName: String { given() }
var enrolled: Date { given() }

/// `Tests/MultiFactorTests/External/PasskeyFactor.swift`, as far as the article shows it.
struct PasskeyFactor: ExternalFactor {
  let factorID = "passkey"
  func ask(_ challenge: [UInt8], in session: MultiFactorSession, of uid: String?) -> String { given() }
  func factorUID(of answer: ExternalAnswer) -> String { given() }
  func verify(_ answer: ExternalAnswer, of factor: FactorInfo) -> ExternalVerdict { given() }
  func enroll(_ answer: ExternalAnswer) -> ExternalVerdict { given() }
}
var passkeys: PasskeyFactor { given() }
var challenge: [UInt8] { given() }
var token: String { given() }
var user: User { given() }

struct WebSession { var passkeyChallenge: String? }
var webSession: WebSession {
  get { given() }
  set {}
}
struct BadRequest: Error {}

func askForCode(_ prompt: String) async -> String { given() }
func welcome(_ user: User) {}
func endWebSessions(of userID: String) {}
func appendToAuditTrail(_ date: Date, _ kind: String, _ reason: String?, _ userID: String?, _ factorUID: String?) {}
