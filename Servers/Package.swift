// swift-tools-version: 6.2

import PackageDescription

// A separate package for what needs Hummingbird, so that users of `OTP` or `MultiFactor` neither fetch nor build it.

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "swift-otp-servers",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "auth-emulator", targets: ["auth-emulator"]),
    .executable(name: "login-example", targets: ["login-example"]),
  ],
  dependencies: [
    .package(name: "swift-otp", path: "..", traits: ["SQLite", "PostgreSQL"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .target(
      name: "SlowClients",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "auth-emulator",
      dependencies: [
        "SlowClients",
        .product(name: "OTP", package: "swift-otp"), .product(name: "Keyring", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "MultiFactorOperations", package: "swift-otp"),
        .product(name: "MultiFactorPhone", package: "swift-otp"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
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
        "CQRencode", "COpenSSL", "SlowClients",
        .product(name: "OTP", package: "swift-otp"), .product(name: "Keyring", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "MultiFactorPhone", package: "swift-otp"),
        .product(name: "MultiFactorOperations", package: "swift-otp"),
        .product(name: "MultiFactorBrowsers", package: "swift-otp"),
        .product(name: "MultiFactorSQLite", package: "swift-otp"),
        .product(name: "MultiFactorPostgreSQL", package: "swift-otp"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/LoginExample",
      resources: [.copy("Pages")],
      swiftSettings: strict
    ),
  ],
  swiftLanguageModes: [.v6]
)
