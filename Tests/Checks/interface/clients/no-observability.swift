// expects: is unavailable: needs swift-otp's trait Observability: .package(…, traits: ["Observability"])
import MultiFactor

/// Stands for swift-log's.
struct Logger: Sendable {}

func makeAuth(_ configuration: MultiFactorConfiguration) throws -> MultiFactorAuth {
  try MultiFactorAuth(
    configuration: configuration, store: InMemoryFactorStore(), keyring: Keyring(file: "keyring.json"),
    logger: Logger())
}
