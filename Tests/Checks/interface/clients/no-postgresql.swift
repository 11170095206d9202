// expects: 'PostgreSQLFactorStore' is unavailable: needs swift-otp's trait PostgreSQL: .package(…, traits: ["PostgreSQL"])
import MultiFactor
import MultiFactorPostgreSQL

func makeAuth(_ configuration: MultiFactorConfiguration) async throws -> MultiFactorAuth {
  try await MultiFactorAuth(
    configuration: configuration, store: PostgreSQLFactorStore(url: "postgresql://db/login"),
    keyring: Keyring(file: "keyring.json"))
}
