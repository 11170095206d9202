import Keyring
import MultiFactor
import MultiFactorSQLite

// Once, at set-up, like `otp store create`; what follows, at each start.
try await MultiFactorAuth.createStore(keyringFile: "keyring.json") {
  try SQLiteFactorStore.create(path: "factors.sqlite")
}
let store = try SQLiteFactorStore(path: "factors.sqlite")
let keyring = try Keyring(file: "keyring.json")
let auth = try await MultiFactorAuth(
  configuration: .strict, store: store, keyring: keyring)
// Her password was right, and she has no second factor yet.
let alice = Principal(id: "u1", email: "alice@example.com", isEmailVerified: true)
let user = try await auth.signIn(alice, firstFactor: .password).user
let secret = try await TOTPMultiFactorGenerator.generateSecret(
  with: user.multiFactor.session())
let uri = secret.generateQRCodeURL(
  withAccountName: "alice@example.com", issuer: "Example")
print(uri.prefix(10))  // prints otpauth://
