// swift-tools-version: 6.2

import PackageDescription

// A server's package: it depends on the product `OTP` and on nothing else.

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../../..")],
  targets: [
    .executableTarget(name: "consumer", dependencies: [.product(name: "OTP", package: "swift-otp")])
  ],
  swiftLanguageModes: [.v6]
)
