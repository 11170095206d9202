// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "processes-check",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "swift-otp", path: "../../..", traits: ["SQLite"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "processes-check",
      dependencies: [
        .product(name: "OTP", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "MultiFactorSQLite", package: "swift-otp"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: [.strictMemorySafety()])
  ],
  swiftLanguageModes: [.v6]
)
