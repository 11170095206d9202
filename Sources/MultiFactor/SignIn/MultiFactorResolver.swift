public struct MultiFactorResolver: Sendable {}
