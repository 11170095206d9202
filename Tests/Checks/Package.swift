// swift-tools-version: 6.2

import PackageDescription

// The programs of the checks: each check is a folder with a `run.sh`, and the program that it runs is a target here.
// They form one package so that the library is compiled once for all of them: as for release, and again with
// OTP_CHECKS, which allows faults to be planted and tells valgrind what the engine declassifies (see build.sh).
//
// Linux only: the programs read /proc.

let strict: [SwiftSetting] = [.strictMemorySafety()]

func otp(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-otp") }

func check(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "\(folder)/Sources/\(name)", swiftSettings: strict)
}

func support(_ name: String, in folder: String, links libraries: [String] = []) -> Target {
  .target(name: name, path: "\(folder)/Sources/\(name)", linkerSettings: libraries.map { .linkedLibrary($0) })
}

let package = Package(
  name: "checks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "swift-otp", path: "../..", traits: ["SQLite", "PostgreSQL"])
  ],
  targets: [
    support("CAllocations", in: "costs"),
    check(
      "costs-check", in: "costs",
      [
        "CAllocations", otp("FactorRecord"), otp("Keyring"), otp("MultiFactor"),
        otp("MultiFactorOperations"), otp("OTP"),
      ]),
    support("CTaint", in: "constant-time"),
    check("constant-time-check", in: "constant-time", ["CTaint", otp("FactorRecord"), otp("OTP")]),
    check("every-run-check", in: "every-run", [otp("FactorRecord"), otp("Keyring"), otp("OTP")]),
    check("known-answer-check", in: "lanes", [otp("OTP")]),
    check(
      "stores-check", in: "stores",
      [
        otp("OTP"), otp("FactorRecord"), otp("Keyring"), otp("MultiFactor"), otp("MultiFactorOperations"),
        otp("MultiFactorSQLite"),
        otp("MultiFactorPostgreSQL"),
      ]),
    support("CCycles", in: "constant-time"),
    check("timing-check", in: "constant-time", ["CCycles", otp("OTP")]),
    support("CMemoryProbe", in: "wiping", links: ["crypto"]),
    check(
      "wiping-check", in: "wiping",
      [
        "CMemoryProbe", otp("OTP"), otp("OTPSeeds"), otp("FactorRecord"), otp("Keyring"), otp("MultiFactor"),
        otp("MultiFactorOperations"), otp("MultiFactorPhone"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
