// swift-tools-version: 6.2

import PackageDescription

// A separate package, so that none of it reaches users. `run.sh` builds it with libFuzzer; its tests replay the corpus
// without it.

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "swift-otp-fuzz",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "../..")],
  targets: [
    .target(
      name: "FuzzTargets",
      dependencies: [
        .product(name: "OTP", package: "swift-otp"), .product(name: "OTPVectors", package: "swift-otp"),
        .product(name: "OTPSeeds", package: "swift-otp"), .product(name: "MultiFactor", package: "swift-otp"),
        .product(name: "MultiFactorFirebase", package: "swift-otp"),
        .product(name: "MultiFactorOperations", package: "swift-otp"),
        .product(name: "MultiFactorPhone", package: "swift-otp"),
      ],
      swiftSettings: strict
    ),
    .testTarget(name: "FuzzReplayTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
  ]
    // libFuzzer provides `main`, which SwiftPM would rename in a Swift executable, so the driver is in C. It links only
    // with libFuzzer, so a plain build leaves it out.
    + (Context.environment["OTP_FUZZERS"] == nil
      ? [] : [.executableTarget(name: "fuzz-targets", dependencies: ["FuzzTargets"])]),
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
