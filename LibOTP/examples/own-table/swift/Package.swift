// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "own-table",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "swift-otp", path: "../../../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
  ],
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
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "FactorRecord", package: "swift-otp"),
        .product(name: "Keyring", package: "swift-otp"),
      ]
    ),
  ]
)
