// swift-tools-version: 6.2

import PackageDescription

// A separate package for what needs Hummingbird, so that users of `OTP` or `MultiFactor` neither fetch nor build it.

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

func otp(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "swift-otp") } }

let package = Package(
  name: "swift-otp-servers",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "auth-emulator", targets: ["auth-emulator"]),
    .executable(name: "login-example", targets: ["login-example"]),
    .executable(name: "api-example", targets: ["api-example"]),
  ],
  dependencies: [
    .package(name: "swift-otp", path: "..", traits: ["SQLite", "PostgreSQL", "Observability"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .target(
      name: "SlowClients",
      dependencies: [hummingbird],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "auth-emulator",
      dependencies: ["SlowClients", hummingbird, arguments]
        + otp("OTP", "FactorRecord", "Keyring", "MultiFactor", "MultiFactorOperations", "MultiFactorPhone"),
      path: "Sources/AuthEmulator",
      swiftSettings: strict
    ),
    .systemLibrary(
      name: "CQRencode",
      pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]
    ),
    .systemLibrary(
      name: "COpenSSL",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    .executableTarget(
      name: "login-example",
      dependencies: [
        "CQRencode", "COpenSSL", "SlowClients", hummingbird, arguments,
        .product(name: "Mustache", package: "swift-mustache"),
      ]
        + otp(
          "OTP", "Keyring", "MultiFactor", "MultiFactorPhone", "MultiFactorBrowsers", "MultiFactorObservability",
          "MultiFactorOperations", "MultiFactorSQLite", "MultiFactorPostgreSQL"),
      path: "Sources/LoginExample",
      resources: [.copy("Pages")],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "api-example",
      dependencies: [hummingbird]
        + otp(
          "OTP", "Keyring", "MultiFactor", "MultiFactorBrowsers", "MultiFactorObservability", "MultiFactorOperations",
          "MultiFactorSQLite"),
      path: "Sources/APIExample",
      exclude: ["Package.swift"],
      swiftSettings: strict
    ),
  ],
  swiftLanguageModes: [.v6]
)
