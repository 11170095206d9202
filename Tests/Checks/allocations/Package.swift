// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "allocations-check",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../../..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "allocations-check",
      dependencies: ["CAllocations", .product(name: "OTP", package: "swift-otp")],
      swiftSettings: [.strictMemorySafety()]),
  ],
  swiftLanguageModes: [.v6]
)
