// expects: 'SQLiteFactorStoreError' is unavailable: needs swift-otp's trait SQLite: .package(…, traits: ["SQLite"])
import MultiFactorSQLite

func isTheStores(_ error: any Error) -> Bool { error is SQLiteFactorStoreError }
