/// The description of the API, generated from the same table as the routes.
enum OpenAPI {
  /// An OpenAPI 3.0 document.
  ///
  /// - Parameter origin: The address of the emulator.
  static func document(_ origin: String) -> JSON {
    var paths: [String: JSON] = [:]
    for operation in Operation.all {
      for (index, path) in operation.paths.enumerated() {
        let description = description(of: operation, path, suffix: index == 0 ? "" : ".\(index)")
        paths["/" + path, default: [:]][operation.method.rawValue.lowercased()] = description
      }
    }
    return [
      "openapi": "3.0.3",
      "info": [
        "title": "auth-emulator", "version": "1",
        "description": "Identity Toolkit for Firebase's SDKs, for development and tests.",
      ],
      "servers": [["url": .string(origin)]], "paths": .object(paths),
      "components": [
        "securitySchemes": [
          "key": ["type": "apiKey", "in": "query", "name": "key"], "owner": ["type": "http", "scheme": "bearer"],
        ],
        "schemas": ["Error": error],
      ],
    ]
  }

  private static let error: JSON = [
    "type": "object", "required": ["error"],
    "properties": [
      "error": [
        "type": "object", "required": ["code", "message", "errors"],
        "properties": [
          "code": ["type": "integer"], "message": ["type": "string"], "status": ["type": "string"],
          "errors": ["type": "array", "items": ["type": "object"]],
        ],
      ]
    ],
  ]

  private static func description(of operation: Operation, _ path: String, suffix: String) -> JSON {
    var parameters: [JSON] = names(in: path).map { parameter($0, in: "path", isRequired: true) }
    parameters += operation.query.map { parameter($0, in: "query", isRequired: false) }
    let answer: JSON = ["application/json": ["schema": ["type": "object"]]]
    // Errors of the page that a link leads to have a different form.
    let schema: JSON = operation.name == "action" ? ["type": "object"] : ["$ref": "#/components/schemas/Error"]
    let failure: JSON = ["description": "An error.", "content": ["application/json": ["schema": schema]]]
    var responses: [String: JSON] = ["200": ["description": "Done.", "content": answer], "default": failure]
    if operation.name == "action" { responses["303"] = ["description": "To the app."] }
    var security: [JSON] = []
    if operation.access != .open { security.append(["owner": []]) }
    if operation.access == .client { security.append(["key": []]) }
    var description: JSON = [
      "operationId": .string(operation.name.replacing(":", with: ".").replacing("/", with: ".") + suffix),
      "parameters": .array(parameters),
      "responses": .object(responses), "security": .array(security),
    ]
    if let schema = operation.request {
      description["requestBody"] = ["content": ["application/json": ["schema": Kind.object(schema).openAPI]]]
    }
    return description
  }

  private static func parameter(_ name: String, in place: String, isRequired: Bool) -> JSON {
    [
      "name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": ["type": "string"],
    ]
  }

  /// The names in braces in a path.
  private static func names(in path: String) -> [String] {
    path.split(separator: "{").dropFirst().compactMap { $0.split(separator: "}").first.map(String.init) }
  }
}

extension Kind {
  /// The schema in OpenAPI's form.
  fileprivate var openAPI: JSON {
    switch self {
    case .string: ["type": "string"]
    case .boolean: ["type": "boolean"]
    case .integer: ["type": "string", "format": "int64"]
    case .enumeration(let names): ["type": "string", "enum": .array(names.map(JSON.string))]
    case .array(let kind): ["type": "array", "items": kind.openAPI]
    case .map(let kind): ["type": "object", "additionalProperties": kind.openAPI]
    case .any: [:]
    case .object(let schema):
      [
        "type": "object", "additionalProperties": false, "properties": .object(schema.mapValues(\.openAPI)),
      ]
    }
  }
}
