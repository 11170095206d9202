// expects: is unavailable: needs swift-otp's trait Observability: .package(…, traits: ["Observability"])
import MultiFactor
import MultiFactorObservability

/// Stands in for swift-log's type.
struct Logger: Sendable {}

func makeAuth(_ configuration: MultiFactorConfiguration) async throws -> MultiFactorAuth {
  try await MultiFactorAuth(
    configuration: configuration, store: InMemoryFactorStore(), keyring: Keyring(file: "keyring.json"),
    handlers: MultiFactorHandlers(event: EventLog(logger: Logger()).record))
}
