// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "instructions-check",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../../..")],
  targets: [
    .executableTarget(
      name: "repeat-operation", dependencies: [.product(name: "OTP", package: "swift-otp")],
      swiftSettings: [.strictMemorySafety()])
  ],
  swiftLanguageModes: [.v6]
)
