// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that servers that link the engine do not resolve the benchmark's dependencies.

let package = Package(
  name: "swift-otp-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-otp", path: "..", traits: ["SQLite", "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
  ],
  targets: [
    // What shared objects of the implementations export that the engine is compared with.
    .systemLibrary(name: "CPeers", path: "peers"),
    .executableTarget(
      name: "otp-bench",
      dependencies: [
        "CPeers", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
        + [
          "OTP", "Keyring", "FactorRecord", "MultiFactor", "MultiFactorOperations", "MultiFactorSQLite",
          "MultiFactorPostgreSQL",
        ].map { .product(name: $0, package: "swift-otp") },
      swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
