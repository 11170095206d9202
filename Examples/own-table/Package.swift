// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "own-table",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CPostgreSQL",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .executableTarget(
      name: "OwnTable",
      dependencies: [
        "CPostgreSQL",
        .product(name: "OTP", package: "swift-otp"),
        .product(name: "Keyring", package: "swift-otp"),
        .product(name: "MultiFactor", package: "swift-otp"),
      ]
    ),
  ]
)
