// swift-tools-version: 6.2

import PackageDescription

// The command-line tool: a separate package, so that its dependencies do not reach users of the engine's package.

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "otp-tool",
  platforms: [.macOS(.v13)],
  products: [.executable(name: "otp", targets: ["OTPTool"])],
  dependencies: [
    .package(name: "swift-otp", path: "..", traits: ["SQLite", "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CQRencode",
      pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]
    ),
    // Not `otp`: on a case-insensitive file system, that module's files would overwrite those of `OTP`.
    .executableTarget(
      name: "OTPTool",
      dependencies: [
        "CQRencode",
        .product(name: "OTP", package: "swift-otp"),
        .product(name: "OTPSeeds", package: "swift-otp"), .product(name: "OTPVectors", package: "swift-otp"),
        .product(name: "FactorRecord", package: "swift-otp"), .product(name: "Keyring", package: "swift-otp"),
        .product(name: "RecordService", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "MultiFactorOperations", package: "swift-otp"),
        .product(name: "MultiFactorSQLite", package: "swift-otp"),
        .product(name: "MultiFactorPostgreSQL", package: "swift-otp"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/otp",
      swiftSettings: strict
    ),
    .testTarget(
      name: "otpTests",
      dependencies: [
        "OTPTool", .product(name: "OTP", package: "swift-otp"),
        .product(name: "FactorRecord", package: "swift-otp"), .product(name: "Keyring", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "MultiFactorSQLite", package: "swift-otp"),
      ],
      swiftSettings: strict
    ),
  ],
  swiftLanguageModes: [.v6]
)
