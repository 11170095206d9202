// swift-tools-version: 6.2

import PackageDescription

// What needs Hummingbird stands here, beside the library: no user of `OTP` or `MultiFactor` resolves or builds it.

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "swift-otp-servers",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "auth-emulator", targets: ["auth-emulator"])],
  dependencies: [
    .package(name: "swift-otp", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "auth-emulator",
      dependencies: [
        .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/AuthEmulator",
      swiftSettings: strict
    )
  ],
  swiftLanguageModes: [.v6]
)
