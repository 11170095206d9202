import Foundation

// The emulator's own endpoints, without authorization: to list what was sent, to delete accounts, and to set the time.
extension Emulator {
  func ready(_ call: Call) async throws -> JSON {
    ["authEmulator": ["ready": true, "docs": "Servers/README.md", "multiFactor": ["totp", "phone"]]]
  }

  func deleteAccounts(_ call: Call) async throws -> JSON {
    let accounts = try withDirectory(of: call) { (directory) throws(APIError) in
      let accounts = directory.accounts.values.filter(\.hadFactors)
      directory.removeAllAccounts()
      return accounts
    }
    for account in accounts { try await forgetFactors(of: account, call) }
    return [:]
  }

  func listOOBCodes(_ call: Call) async throws -> JSON {
    let codes: [JSON] = try directory(of: call).oobCodes.map {
      [
        "email": .string($0.email), "newEmail": .text($0.newEmail), "requestType": .string($0.purpose.rawValue),
        "oobCode": .string($0.code), "oobLink": .string($0.link),
      ]
    }
    return ["oobCodes": .array(codes)]
  }

  func listVerificationCodes(_ call: Call) async throws -> JSON {
    let codes: [JSON] = try directory(of: call).verificationCodes.map {
      ["phoneNumber": .string($0.phoneNumber), "sessionInfo": .string($0.sessionInfo), "code": .string($0.code)]
    }
    return ["verificationCodes": .array(codes)]
  }

  func getClock(_ call: Call) async throws -> JSON { clock.description }

  func setClock(_ call: Call) async throws -> JSON {
    try clock.set(by: call.body)
    return clock.description
  }

  /// The target of a link in an e-mail: applies the code, and redirects to the app's URL.
  func action(_ call: Call) async throws -> Answer {
    func failure(_ error: String, _ instructions: String? = nil) -> APIError {
      var failure = APIError(400, "INVALID_ARGUMENT", error)
      failure.details = ["authEmulator": ["error": .string(error), "instructions": .text(instructions)]]
      return failure
    }
    let query = call.query
    guard query["apiKey"]?.isEmpty == false else {
      throw failure("missing apiKey query parameter", "Please modify the URL to specify an apiKey.")
    }
    guard let code = query["oobCode"], !code.isEmpty else {
      throw failure("missing oobCode query parameter", "Please modify the URL to specify an oobCode.")
    }
    func done(_ text: String, _ answer: JSON) -> Answer {
      if let address = query["continueUrl"], Self.isHeaderText(address) { return .redirect(address) }
      return .json([
        "authEmulator": [
          "success": .string(text), "email": answer["email"], "newEmail": answer["newEmail"],
        ]
      ])
    }
    do {
      switch query["mode"] {
      case "verifyEmail": return done("The email has been successfully verified.", try await apply(code, call))
      case "verifyAndChangeEmail":
        return done("The email has been successfully changed.", try await apply(code, call))
      case "recoverEmail":
        let answer: JSON = ["email": try await apply(code, call)["email"]]
        return .json(["authEmulator": answer.adding(["success": "The email has been successfully reset."])])
      case "resetPassword":
        guard let password = query["newPassword"], !password.isEmpty, password != "NEW_PASSWORD_HERE" else {
          throw failure(
            "missing newPassword query parameter", "Please append &newPassword=NEW_PASSWORD_HERE with another password."
          )
        }
        var reset = call
        reset.body = ["oobCode": .string(code), "newPassword": .string(password)]
        return done("The password has been successfully updated.", try await resetPassword(reset))
      case "signIn":
        guard let address = query["continueUrl"], Self.isHeaderText(address), var url = URLComponents(string: address)
        else {
          throw failure(
            "Missing continueUrl query parameter", "To sign in, append &continueUrl=YOUR_APP_URL to the link.")
        }
        let others = query.filter { $0.key != "continueUrl" }.sorted { $0.key < $1.key }
        url.queryItems = (url.queryItems ?? []) + others.map { URLQueryItem(name: $0.key, value: $0.value) }
        guard let text = url.string else { throw failure("Invalid continueUrl query parameter") }
        return .redirect(text)
      default: throw failure("Invalid mode")
      }
    } catch let error as APIError where error.details == nil && error.statusCode == 400 {
      throw failure("Your request has expired or the link has already been used: \(error.message)", "Try again.")
    }
  }

  /// Whether a text is valid in a header.
  private static func isHeaderText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
  }
}
