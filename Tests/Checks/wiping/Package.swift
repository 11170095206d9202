// swift-tools-version: 6.2

import PackageDescription

// Linux alone: it reads the process's own memory by /proc/self/maps.

let package = Package(
  name: "wiping-check",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../../..")],
  targets: [
    .target(name: "CMemoryProbe", linkerSettings: [.linkedLibrary("crypto")]),
    .executableTarget(
      name: "wiping-check",
      dependencies: [
        "CMemoryProbe", .product(name: "OTP", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
      ],
      swiftSettings: [.strictMemorySafety()]),
  ],
  swiftLanguageModes: [.v6]
)
