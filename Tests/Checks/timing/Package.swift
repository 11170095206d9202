// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "timing-check",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../../..")],
  targets: [
    .target(name: "CCycles"),
    .executableTarget(
      name: "timing-check",
      dependencies: ["CCycles", .product(name: "OTP", package: "swift-otp")],
      swiftSettings: [.strictMemorySafety()]),
  ],
  swiftLanguageModes: [.v6]
)
