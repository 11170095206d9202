// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that valgrind's header is asked for here alone. Built by run.sh with
// -Xcc -DOTP_CONSTANT_TIME_CHECK, which makes the engine's `declassify` tell valgrind.

let package = Package(
  name: "constant-time-check",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../../..")],
  targets: [
    .target(name: "CTaint"),
    .executableTarget(
      name: "constant-time-check",
      dependencies: ["CTaint", .product(name: "OTP", package: "swift-otp")],
      swiftSettings: [.strictMemorySafety()]),
  ],
  swiftLanguageModes: [.v6]
)
