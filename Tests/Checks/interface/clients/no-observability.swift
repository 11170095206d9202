// expects: is unavailable: needs swift-otp's trait Observability: .package(…, traits: ["Observability"])
import MultiFactor

/// Stands for swift-log's.
struct Logger: Sendable {}

func makeAuth(_ configuration: MultiFactorConfiguration) async throws -> MultiFactorAuth {
  try await MultiFactorAuth(
    configuration: configuration, store: InMemoryFactorStore(), keyring: Keyring(file: "keyring.json"),
    eventHandler: EventLog(logger: Logger()).record)
}
