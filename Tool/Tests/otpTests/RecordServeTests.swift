import Foundation
import Testing

/// `otp record serve`
@Suite struct RecordServeTests {
  @Test func `each line of standard input is answered, and nothing is kept`() throws {
    try withFolder([:]) { folder in
      #expect(try otp("keyring new \(folder)/keyring").status == 0)
      func ask(_ fields: String) throws -> NSDictionary {
        let lines = #"{"id":1}"# + "\n" + #"{"subject":"user 42","time":1111111111,\#(fields)}"#
        let run = try otp("record serve \(folder)/keyring", input: lines)
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.lines.first == #"{"error":"missing","field":"op","id":1}"#)
        return try #require(JSONSerialization.jsonObject(with: Data((run.lines.last ?? "").utf8)) as? NSDictionary)
      }
      let new = try ask(#""op":"enroll","issuer":"Example","account":"alice","secret":"\#(Seed.sha1)""#)
      #expect(new["uri"] as? String == Seed.uri)
      let record = try #require(new["record"] as? String)
      let confirmed = try ask(#""op":"confirm","record":"\#(record)","code":"050471""#)
      #expect(confirmed["answer"] as? String == "enrolled" && confirmed["changed"] as? Bool == true)
    }
  }
}
