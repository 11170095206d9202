// swift-tools-version: 6.2

import PackageDescription

// For Server.swift in a folder of its own, with this file beside it; `../swift-otp` is a clone.

let package = Package(
  name: "api-example",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-otp", path: "../swift-otp", traits: ["SQLite", "Observability"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "api-example",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")]
        + [
          "OTP", "Keyring", "MultiFactor", "MultiFactorBrowsers", "MultiFactorObservability", "MultiFactorOperations",
          "MultiFactorSQLite",
        ].map { .product(name: $0, package: "swift-otp") },
      path: ".",
      sources: ["Server.swift"]
    )
  ]
)
