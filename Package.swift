// swift-tools-version: 6.2

import PackageDescription

// A server that links `OTP` resolves and builds only `OTP`: the multi-factor layer's optional packages are under traits
// that are off by default, and SwiftPM does not fetch what only a disabled trait needs.
// What is not a library (the command-line tool, the servers, the benchmark, the fuzzers) is a separate package.
// `LibOTP/Sources` and `LibOTP/include` are not targets: LibOTP/build.sh builds the C library from them with Embedded
// Swift.

let strict: [SwiftSetting] = [.strictMemorySafety()]

let package = Package(
  name: "swift-otp",
  platforms: [.macOS(.v13)],
  products: [
    .library(name: "OTP", targets: ["OTP"]),
    .library(name: "OTPFoundation", targets: ["OTPFoundation"]),
    .library(name: "OTPSeeds", targets: ["OTPSeeds"]),
    .library(name: "OTPVectors", targets: ["OTPVectors"]),
    .library(name: "Keyring", targets: ["Keyring"]),
    .library(name: "FactorRecord", targets: ["FactorRecord"]),
    .library(name: "RecordService", targets: ["RecordService"]),
    .library(name: "MultiFactor", targets: ["MultiFactor"]),
    .library(name: "MultiFactorFirebase", targets: ["MultiFactorFirebase"]),
    .library(name: "MultiFactorObservability", targets: ["MultiFactorObservability"]),
    .library(name: "MultiFactorOperations", targets: ["MultiFactorOperations"]),
    .library(name: "MultiFactorPhone", targets: ["MultiFactorPhone"]),
    .library(name: "MultiFactorBrowsers", targets: ["MultiFactorBrowsers"]),
    .library(name: "MultiFactorSQLite", targets: ["MultiFactorSQLite"]),
    .library(name: "MultiFactorPostgreSQL", targets: ["MultiFactorPostgreSQL"]),
    .library(name: "FactorStoreConformance", targets: ["FactorStoreConformance"]),
  ],
  traits: [
    .trait(name: "Observability", description: "MultiFactorObservability has EventLog (swift-log, swift-metrics)."),
    .trait(name: "Tracing", description: "MultiFactorObservability has spans (swift-distributed-tracing)."),
    .trait(name: "SQLite", description: "MultiFactorSQLite has its store, on GRDB."),
    .trait(name: "PostgreSQL", description: "MultiFactorPostgreSQL has its store, on libpq."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibcrypto",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    // Not needed while the trait is off.
    .systemLibrary(
      name: "CLibpq",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(name: "COTPSupport", dependencies: ["CLibcrypto"]),
    .target(name: "OTP", dependencies: ["COTPSupport"], swiftSettings: strict),
    .target(name: "OTPFoundation", dependencies: ["OTP"], swiftSettings: strict),
    .target(name: "OTPSeeds", dependencies: ["OTP", "COTPSupport", "CLibcrypto"], swiftSettings: strict),
    .target(name: "OTPVectors", dependencies: ["OTP", "Keyring", "FactorRecord"], swiftSettings: strict),
    .target(name: "Keyring", dependencies: ["OTP", "COTPSupport", "CLibcrypto"], swiftSettings: strict),
    .target(name: "FactorRecord", dependencies: ["OTP", "Keyring"], swiftSettings: strict),
    .target(
      name: "RecordService", dependencies: ["OTP", "Keyring", "FactorRecord", "COTPSupport"], swiftSettings: strict),
    .target(
      name: "MultiFactor",
      dependencies: ["OTP", "Keyring", "FactorRecord"],
      swiftSettings: strict
    ),
    .target(
      name: "MultiFactorPhone", dependencies: ["MultiFactor", "MultiFactorOperations", "Keyring", "OTP"],
      swiftSettings: strict),
    .target(name: "MultiFactorBrowsers", dependencies: ["MultiFactor", "Keyring", "OTP"], swiftSettings: strict),
    .target(
      name: "MultiFactorFirebase", dependencies: ["MultiFactor", "MultiFactorPhone", "Keyring", "OTP"],
      swiftSettings: strict),
    .target(
      name: "MultiFactorObservability",
      dependencies: [
        "MultiFactor", "Keyring", "OTP",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"])),
        .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"])),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "MultiFactorOperations", dependencies: ["MultiFactor", "FactorRecord", "Keyring", "OTP"],
      swiftSettings: strict),
    .target(
      name: "MultiFactorSQLite",
      dependencies: [
        "MultiFactor", "Keyring",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "MultiFactorPostgreSQL",
      dependencies: [
        "MultiFactor", "Keyring", .target(name: "CLibpq", condition: .when(traits: ["PostgreSQL"])),
      ],
      swiftSettings: strict
    ),
    .target(name: "FactorStoreConformance", dependencies: ["MultiFactor", "Keyring"], swiftSettings: strict),
    .target(name: "SharedFixtures", path: "Tests/SharedFixtures", swiftSettings: strict),
    .testTarget(name: "OTPTests", dependencies: ["OTP", "SharedFixtures"], swiftSettings: strict),
    .testTarget(name: "OTPFoundationTests", dependencies: ["OTPFoundation"], swiftSettings: strict),
    .testTarget(name: "OTPSeedsTests", dependencies: ["OTPSeeds", "OTP"], exclude: ["Files"], swiftSettings: strict),
    .testTarget(name: "OTPVectorsTests", dependencies: ["OTPVectors", "SharedFixtures"], swiftSettings: strict),
    .testTarget(name: "KeyringTests", dependencies: ["Keyring", "OTP", "SharedFixtures"], swiftSettings: strict),
    .testTarget(
      name: "FactorRecordTests", dependencies: ["FactorRecord", "Keyring", "OTP", "SharedFixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "RecordServiceTests", dependencies: ["RecordService", "Keyring", "OTP"], swiftSettings: strict),
    .testTarget(
      name: "MultiFactorTests",
      dependencies: [
        "MultiFactor", "MultiFactorBrowsers", "MultiFactorFirebase", "MultiFactorObservability",
        "MultiFactorOperations", "MultiFactorPhone",
        "MultiFactorSQLite", "MultiFactorPostgreSQL", "FactorRecord", "Keyring", "OTP", "FactorStoreConformance",
        "SharedFixtures",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"])),
        .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"])),
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Observability"])),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "MultiFactorSQLiteTests",
      dependencies: [
        "MultiFactor", "MultiFactorSQLite", "Keyring", "FactorStoreConformance",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "MultiFactorPostgreSQLTests",
      dependencies: [
        "MultiFactor", "MultiFactorOperations", "MultiFactorPostgreSQL", "Keyring", "FactorStoreConformance",
      ],
      swiftSettings: strict
    ),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)

// Sources has a folder for what must be trusted, for the multi-factor layer, and for other formats.
let folders = [
  "Core": [
    "CLibcrypto", "COTPSupport", "FactorRecord", "Keyring", "OTP",
  ],
  "Accounts": [
    "CLibpq", "FactorStoreConformance", "MultiFactor", "MultiFactorBrowsers", "MultiFactorFirebase",
    "MultiFactorObservability", "MultiFactorOperations", "MultiFactorPhone", "MultiFactorPostgreSQL",
    "MultiFactorSQLite",
  ],
  "Formats": [
    "OTPFoundation", "OTPSeeds", "OTPVectors", "RecordService",
  ],
]
for (folder, names) in folders {
  for target in package.targets where names.contains(target.name) { target.path = "Sources/\(folder)/\(target.name)" }
}
