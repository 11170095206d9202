// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that servers that link the engine do not resolve the benchmark's dependencies.

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "swift-otp-benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "swift-otp", path: "..", traits: ["SQLite", "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
  ],
  targets: [
    // The implementations that the engine is compared with.
    .target(name: "CPeers", linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("dl")]),
    // The limit of a store on PostgreSQL.
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .executableTarget(
      name: "otp-bench",
      dependencies: [
        "CPeers", "CPostgreSQL",
        .product(name: "OTP", package: "swift-otp"),
        .product(name: "Keyring", package: "swift-otp"),
        .product(name: "FactorRecord", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "MultiFactorOperations", package: "swift-otp"),
        .product(name: "MultiFactorSQLite", package: "swift-otp"),
        .product(name: "MultiFactorPostgreSQL", package: "swift-otp"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
