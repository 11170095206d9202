// expects: is unavailable: needs swift-otp's trait Observability: .package(…, traits: ["Observability"])
import MultiFactor

/// Stands in for swift-log's type.
struct Logger: Sendable {}

func makeAuth(_ configuration: MultiFactorConfiguration) async throws -> MultiFactorAuth {
  try await MultiFactorAuth(
    configuration: configuration, store: InMemoryFactorStore(), keyring: Keyring(file: "keyring.json"),
    eventHandler: EventLog(logger: Logger()).record)
}
