// swift-tools-version: 6.2

import PackageDescription

// The engine's package names no other Swift package, so that a server that links `OTP` resolves and builds
// nothing but `OTP`. What needs more (the command-line tool in `Tool`) is a package of its own beside it.

let strict: [SwiftSetting] = [.strictMemorySafety()]

let package = Package(
  name: "swift-otp",
  platforms: [.macOS(.v13)],
  products: [
    .library(name: "OTP", targets: ["OTP"]),
    .library(name: "OTPFoundation", targets: ["OTPFoundation"]),
    .library(name: "OTPVectors", targets: ["OTPVectors"]),
    // For the benchmark and the checks, which measure the kernels themselves. It promises nothing.
    .library(name: "COTPKernels", targets: ["COTPKernels"]),
  ],
  targets: [
    .systemLibrary(
      name: "CLibcrypto",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    .target(name: "COTPKernels", dependencies: ["CLibcrypto"]),
    .target(name: "OTP", dependencies: ["COTPKernels"], swiftSettings: strict),
    .target(name: "OTPFoundation", dependencies: ["OTP"], swiftSettings: strict),
    .target(name: "OTPVectors", dependencies: ["OTP"], swiftSettings: strict),
    .testTarget(name: "OTPTests", dependencies: ["OTP"], swiftSettings: strict),
    .testTarget(name: "OTPFoundationTests", dependencies: ["OTPFoundation"], swiftSettings: strict),
    .testTarget(name: "OTPVectorsTests", dependencies: ["OTPVectors"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
