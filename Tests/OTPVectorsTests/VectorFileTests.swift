import OTPVectors
import Testing

@Suite struct VectorFileTests {}
