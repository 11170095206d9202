import OTP
import OTPVectors

func checkVectorFile(_ input: Span<UInt8>) throws(Violation) {
  guard let file = try? VectorFile(json: input.array) else { return }
  for backend in HMACBackend.allCases where backend.isAvailable {
    _ = file.run(on: [backend])
  }
}
