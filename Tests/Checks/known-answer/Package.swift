// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "known-answer-check",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../../..")],
  targets: [
    .executableTarget(
      name: "known-answer-check", dependencies: [.product(name: "OTP", package: "swift-otp")],
      swiftSettings: [.strictMemorySafety()])
  ],
  swiftLanguageModes: [.v6]
)
