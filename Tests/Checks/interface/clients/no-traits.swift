// says: 'SQLiteFactorStore' is unavailable: needs swift-otp's trait SQLite: .package(…, traits: ["SQLite"])
// says: 'PostgreSQLFactorStore' is unavailable: needs swift-otp's trait PostgreSQL: .package(…, traits: ["PostgreSQL"])
// says: is unavailable: needs swift-otp's trait Observability: .package(…, traits: ["Observability"])
import MultiFactor
import MultiFactorObservability
import MultiFactorPostgreSQL
import MultiFactorSQLite

/// Stands in for swift-log's type.
struct Logger: Sendable {}

func makeStores() throws -> [any FactorStore] {
  [try SQLiteFactorStore(path: "factors.sqlite"), try PostgreSQLFactorStore(url: "postgresql://db/login")]
}

func makeHandlers() -> MultiFactorHandlers { MultiFactorHandlers(event: EventLog(logger: Logger()).record) }
