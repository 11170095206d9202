// expects: 'SQLiteFactorStore' is unavailable: needs swift-otp's trait SQLite: .package(…, traits: ["SQLite"])
import MultiFactor
import MultiFactorSQLite

func makeAuth(_ configuration: MultiFactorConfiguration) async throws -> MultiFactorAuth {
  try await MultiFactorAuth(
    configuration: configuration, store: SQLiteFactorStore(path: "factors.sqlite"),
    keyring: Keyring(file: "keyring.json"))
}
