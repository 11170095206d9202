import OTP
import OTPSeeds
import Testing

/// Tables, lists of URIs, and PAM modules' files.
@Suite struct TextFormatTests {
  @Test func `Entra's table is read by its header, in any order`() throws {
    let text = """
      upn,serial number,secret key,time interval,manufacturer,model\r
      alice@example.com,1234567,GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ,60,"Contoso,\r
      Inc.",HardwareKey\r
      "bob, jr",7654321,gezd gnbv gy3t qojq gezd gnbv gy3t qojq,30,,\r

      """
    let reading = Reading(.csv(.entra), text)
    #expect(reading.faults.isEmpty && reading.seeds.map(\.account) == ["alice@example.com", "bob, jr"])
    #expect(try reading.seeds.allSatisfy { try $0.secret == .rfc })
    #expect(reading.seeds.map(\.kind) == [.totp(period: 60), .totp(period: 30)])
    #expect(reading.seeds.map(\.serial) == ["1234567", "7654321"] && reading.seeds.map(\.line) == [2, 4])
  }

  @Test func `every kind of column is read`() throws {
    let fields: [SeedColumns.Field] = [.secret, .serial, .account, .issuer, .name, .digits, .algorithm, .period]
    let names = Dictionary(uniqueKeysWithValues: fields.map { ($0, $0.rawValue) })
    let row = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=,1,alice,Example,Mine,8,sha256,60\n"
    let text =
      "secret,serial,account,issuer,name,digits,algorithm,period\n" + row
      + row.replacing("sha256", with: "md5") + row.replacing("sha256", with: "")
    let reading = Reading(.csv(try SeedColumns(names, encoding: .base64, kind: .totp())), text)
    #expect(reading.faults == ["line 3: algorithm: unsupported", "line 4: algorithm: missing"])
    let seed = try #require(reading.seeds.first)
    #expect(seed.serial == "1" && seed.account == "alice" && seed.issuer == "Example" && seed.displayName == "Mine")
    #expect(try seed.secret == .rfc && seed.kind == .totp(period: 60) && seed.algorithm == .sha256)
    #expect(seed.digits == .eight)
    let both = try SeedColumns([.secret: "s", .type: "t", .counter: "c"], encoding: .base64, kind: .totp(period: 60))
    let kinds: [Seed.Kind] = [.totp(period: 60), .hotp(counter: 7)]
    #expect(Reading(.csv(both), "c,s,t\n,MTIz,totp\n7,MTIz,hotp\n").seeds.map(\.kind) == kinds)
    let hotp = try SeedColumns([.secret: "s", .counter: "c"], encoding: .base64, kind: .hotp(counter: 5))
    #expect(Reading(.csv(hotp), "c,s\n7,MTIz\n").seeds.map(\.kind) == [.hotp(counter: 7)])
  }

  @Test func `everything that a key can have is written as a table, and read back`() throws {
    let keys = [
      Seed(
        .totp(period: 60, drift: -2, lastAcceptedStep: 56_666_668), secret: try .rfc, algorithm: .sha512,
        digits: .eight, serial: "1", account: "al\"ice", issuer: "Example", displayName: "a\"\u{301}, b", failures: 99,
        isConfirmed: false),
      Seed(.hotp(counter: .max), secret: try .rfc), Seed(.totp(), secret: try .rfc, account: "bob"),
    ]
    let table = SeedColumns.header + keys.map(SeedColumns.row).joined()
    let reading = Reading(.csv(.complete), table)
    #expect(reading.faults.isEmpty && reading.seeds.map(\.kind) == keys.map(\.kind))
    #expect(SeedColumns.header + reading.seeds.map(SeedColumns.row).joined() == table)
    #expect(reading.seeds[0].failures == 99 && reading.seeds.map(\.isConfirmed) == [false, true, true])
    #expect(reading.seeds[0].account == "al\"ice" && reading.seeds[0].displayName == "a\"\u{301}, b")
  }

  @Test(arguments: [
    ("secret,last_step\n", "line 1: column: unsupported"), ("account,last-step\n", "line 1: column (secret): missing"),
    ("secret,secret\n", "line 1: column (secret): duplicate"), ("secret\n\"\",\n", "line 2: record: mismatched"),
    ("secret,type\n,totp\n", "line 2: secret: missing"), ("secret,type\nGE,TOTP\n", "line 2: type: malformed"),
    ("secret,counter\nGE,0\n", "line 2: type: mismatched"),
    ("secret,type,period\nGE,hotp,30\n", "line 2: type: mismatched"),
    ("secret,type\nGE,hotp\n", "line 2: counter: missing"),
    ("secret,type,counter\nGE,hotp,\n", "line 2: counter: missing"),
    ("secret,last-step\nGE,1800000000\n", "line 2: last use: out of range"),
    ("secret,type,last-step\nGE,hotp,0\n", "line 2: type: mismatched"),
    ("secret,last-step\nGE,-1\n", "line 2: last use: malformed"), ("secret,drift\nGE,+1\n", "line 2: drift: malformed"),
    ("secret,failures\nGE,4294967296\n", "line 2: failures: out of range"),
    ("secret,confirmed\nGE,1\n", "line 2: confirmation: malformed"),
  ]) func `a faulty table of everything is reported`(text: String, fault: String) {
    #expect(Reading(.csv(.complete), text).faults == [fault])
  }

  @Test(
    arguments: [
      ("Mine", "1", "Example", "alice", "Mine"), (nil, "1", "Example", "alice", "1"),
      (nil, nil, "Example", "alice", "Example:alice"), (nil, nil, "Example", nil, "Example"),
      (nil, nil, nil, "alice", nil),
    ] as [(String?, String?, String?, String?, String?)])
  func `a key's label is the user's name, else its serial number, else issuer and account`(
    name: String?, serial: String?, issuer: String?, account: String?, label: String?
  ) throws {
    let seed = Seed(
      .totp(), secret: try .rfc, serial: serial, account: account, issuer: issuer, displayName: name)
    #expect(seed.label == label)
  }

  @Test(arguments: [
    ("upn,serial number,time interval\na,1,30\n", "line 1: column (secret): missing"),
    ("upn,upn,serial number,secret key,time interval\n", "line 1: column (account): duplicate"),
    ("", "line 1: column: missing"),
    ("upn,serial number,secret key,time interval\na,1,AAAAAAAA\n", "line 2: record: mismatched"),
    ("upn,serial number,secret key,time interval\na,1,,30\n", "line 2: secret: missing"),
    ("upn,serial number,secret key,time interval\na,1,A1,30\n", "line 2: secret: malformed"),
    ("upn,serial number,secret key,time interval\na,,AAAAAAAA,30\n", "line 2: serial: missing"),
    ("upn,serial number,secret key,time interval\na,1,AAAAAAAA,0\n", "line 2: period: out of range"),
    ("upn,serial number,secret key,time interval\na,1,AAAAAAAA,30s\n", "line 2: period: malformed"),
    ("upn,serial number,secret key,time interval\na,1,AAAAAAAA,9223372036854775808\n", "line 2: period: out of range"),
    ("upn,serial number,secret key,time interval\na\u{1},1,AAAAAAAA,30\n", "line 2: account: malformed"),
    ("upn,serial number,secret key,time interval\n\"a,1,AAAAAAAA,30\n", "line 2: record: malformed"),
    ("upn,serial number,secret key,time interval\na\"b,1,AAAAAAAA,30\n", "line 2: record: malformed"),
    ("upn,serial number,secret key,time interval\na,1,AAAAAAAA,30\na,1,AAAAAAAA,30\n", "line 3: serial: duplicate"),
  ]) func `a faulty table is reported by line and field`(text: String, fault: String) {
    #expect(Reading(.csv(.entra), text).faults == [fault])
  }

  @Test func `hexadecimal is read if the caller says so, and never guessed`() throws {
    let text = "Serial,Seed\n1,3132333435363738393031323334353637383930\n"
    let names: [SeedColumns.Field: String] = [.serial: "serial", .secret: "SEED"]
    let hex = try SeedColumns(names, encoding: .hex, kind: .hotp(counter: 5), digits: .eight)
    let seed = try #require(Reading(.csv(hex), text).seeds.first)
    #expect(try seed.secret == .rfc && seed.kind == .hotp(counter: 5) && seed.digits == .eight)
    let base32 = try SeedColumns(names, encoding: .base32, kind: .totp())
    #expect(Reading(.csv(base32), text).faults == ["line 2: secret: malformed"])
    for bad in ["3", "3G", "0x31", "31:32", "３１"] {
      #expect(Reading(.csv(hex), "serial,seed\n1,\(bad)\n").faults == ["line 2: secret: malformed"])
    }
    #expect(throws: SeedRefusal(line: 0, .column, .missing)) {
      try SeedColumns([.serial: "a"], encoding: .hex, kind: .totp())
    }
    #expect(throws: SeedRefusal(line: 0, .column, .mismatched)) {
      try SeedColumns([.secret: "a", .counter: "b"], encoding: .hex, kind: .totp())
    }
  }

  @Test func `both formats of Yubico's tool are read, and keys not known to be OATH are refused`() throws {
    let text = """
      LOGGING START,11.12.13 18:50
      # OATH mode
      OATH-HOTP,11.12.13 18:55,1,cccccccccccc,,916821d3a138bf855e70069605559a206ba854cd,,,0,0,0,6,0,0,0,0,0,0
      508326,ubnu00000001,0,69cfb9202438ca68964ec3244bfa4843d073a43b,,2013-12-12T08:41:07,
      508327,cccccccccccc,83cebdfb7b93,a47c5bf9c152202f577be6721c0113af,,2013-12-12T08:43:17,
      Static Password,11.12.13 19:08,1,,d5a3d50327dc,0e8e37b0e38b314a56748c030f58d21d,,,0,0,0,0,0,0,0,0,0,0
      508328,,0,69cfb9202438ca68964ec3244bfa4843d073a43b,,2013-12-12T08:45:07,
      508329,cccccccccccc,000000000000,a47c5bf9c152202f577be6721c0113af,,2013-12-12T08:43:17,
      508330,cccccccccccc,,a47c5bf9c152202f577be6721c0113af,,2013-12-12T08:43:17,
      LOGGING END,11.12.13 19:00
      """
    let reading = Reading(.yubico(digits: .eight), text)
    #expect(reading.seeds.map(\.serial) == [nil, "508326"] && reading.seeds.map(\.digits) == [.six, .eight])
    #expect(reading.seeds.map(\.dropped) == [[.tokenIdentifier], [.tokenIdentifier]])
    #expect(try reading.seeds.last?.secret == OTPSecret(hex: "69cfb9202438ca68964ec3244bfa4843d073a43b"))
    #expect(reading.faults == (5...9).map { "line \($0): type: unsupported" })
  }

  @Test(arguments: [0, 16, 1_048_560]) func `a counter that Yubico's tool wrote is kept`(counter: UInt64) {
    let key = "69cfb9202438ca68964ec3244bfa4843d073a43b"
    let text = "OATH-HOTP,x,1,cccc,,\(key),,,0,0,0,6,\(counter),0,0,0,0,0\n1,cccc,\(counter),\(key),,x,\n"
    let kinds: [Seed.Kind] = [.hotp(counter: counter), .hotp(counter: counter)]
    #expect(Reading(.yubico(digits: .six), text).seeds.map(\.kind) == kinds)
  }

  @Test(arguments: ["8", "1048576", "-16", "", "x"]) func `a counter that no key can be given is refused`(text: String)
  {
    let key = "69cfb9202438ca68964ec3244bfa4843d073a43b"
    let rows = "OATH-HOTP,x,1,cccc,,\(key),,,0,0,0,6,\(text),0,0,0,0,0\n1,cccc,\(text),\(key),,x,\n"
    let reading = Reading(.yubico(digits: .six), rows)
    #expect(reading.seeds.isEmpty && reading.refused.map(\.field) == [.counter, .type])
  }

  @Test func `a secret may have 1,024 bytes, in a key URI and in a table`() throws {
    let hex = try SeedColumns([.secret: "s"], encoding: .hex, kind: .totp())
    for (count, faults) in [(1024, []), (1025, ["line 1: secret: too long"])] {
      let row = Reading(.csv(hex), "s\n\(String(repeating: "07", count: count))\n")
      #expect(row.faults == faults.map { $0.replacing("1:", with: "2:") })
      let secret = try OTPSecret(bytes: [UInt8](repeating: 7, count: count))
      let uri = try OTPAuthURI(.totp(), secret: secret, issuer: nil, account: "a").uriString()
      let reading = Reading(.uris, uri)
      #expect(reading.faults == faults && reading.seeds.map(\.secret) == (faults.isEmpty ? [secret] : []))
    }
  }

  @Test func `a list of URIs is read line by line`() throws {
    let text = """
      # from the app
      otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example&algorithm=SHA256&image=x

        otpauth://hotp/bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=9&digits=8
      otpauth://totp/eve?secret=0
      otpauth://totp/eve
      https://example.com
      """
    let reading = Reading(.uris, text)
    #expect(reading.seeds.map(\.account) == ["alice", "bob"] && reading.seeds.map(\.line) == [2, 4])
    #expect(reading.seeds.map(\.kind) == [.totp(), .hotp(counter: 9)] && reading.seeds.first?.dropped == [.setting])
    #expect(reading.faults == ["line 5: secret: malformed", "line 6: secret: missing", "line 7: uri: malformed"])
    let uris = try reading.seeds.map { try $0.uri().uriString() }
    #expect(Reading(.uris, uris.joined(separator: "\n")).seeds.map(\.algorithm) == [.sha256, .sha1])
  }

  /// Counters as liboath 2.6.7 was observed to read them: that of the last code if the line has one, else that of the
  /// next code.
  @Test func `users oath keeps types and counters`() throws {
    let hex = "3132333435363738393031323334353637383930"
    let text = """
      # users
      HOTP/E/6\talice\t-\t\(hex)\t3\t969429\t2026-11-22T16:38:12L
      HOTP bob - \(hex) 2
      HOTP/E/8 carol - \(hex)
      HOTP/T30 dave + \(hex) 0 123456 2026-11-22T16:38:12L
      HOTP/T60/7 erin 1234 \(hex)
      """
    let reading = Reading(.usersOATH, text)
    #expect(reading.faults.isEmpty && reading.seeds.compactMap(\.account) == ["alice", "bob", "carol", "dave", "erin"])
    #expect(
      reading.seeds.map(\.kind) == [
        .hotp(counter: 4), .hotp(counter: 2), .hotp(counter: 0), .totp(period: 30), .totp(period: 60),
      ])
    #expect(reading.seeds.map(\.digits) == [.six, .six, .eight, .six, .seven])
    #expect(reading.seeds.map(\.dropped) == [[], [], [], [.pin, .lastUse], [.pin]])
  }

  @Test(arguments: [
    ("TOTP a - 31", "type: unsupported"), ("HOTP/T45 a - 31", "type: unsupported"),
    ("HOTP/D/6 a - 31", "type: unsupported"),
    ("HOTP/E/9 a - 31", "digits: out of range"), ("HOTP a -", "record: malformed"), ("HOTP a - 3", "secret: malformed"),
    ("HOTP a - 31:32", "secret: malformed"), ("HOTP a - 31 x", "counter: malformed"),
    ("HOTP a - 31 18446744073709551615 123456 x", "counter: out of range"),
    ("HOTP a - 31 1 2 3 4", "record: malformed"),
  ]) func `a faulty line of users oath is reported`(text: String, fault: String) {
    #expect(Reading(.usersOATH, text).faults == ["line 1: " + fault])
  }

  @Test func `lines, rows and fields have limits, and a file may end anywhere`() {
    let long = String(repeating: "a", count: 1 << 14) + "b"
    for format in [SeedFormat.uris, .usersOATH, .migration, .yubico(digits: .six)] {
      #expect(Reading(format, long).end?.reason == .tooLong)
    }
    #expect(Reading(.csv(.entra), String(repeating: ",", count: 64)).end?.reason == .tooLong)
  }

  @Test func `a file is read in parts`() {
    let rows = (0..<5000).map { "u\($0),\($0),GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ,30\n" }.joined()
    #expect(Reading(.csv(.entra), SeedSource(bytes: Self.table(rows))).seeds.map(\.line) == Array(2...5001))
  }

  @Test func `an unreadable file is reported, and no description shows its content`() throws {
    let broken = unsafe SeedSource { _ in throw CancellationError() }
    #expect(Reading(.uris, broken).faults == ["line 1: file: unreadable"])
    let seed = Seed(.totp(), secret: try .rfc, serial: "S-1", account: "alice")
    for text in ["\(seed)", String(reflecting: seed), "\(PSKCKey.password(try .rfc))"] {
      #expect(!text.contains("alice") && !text.contains("S-1") && !text.contains("1234567890"))
    }
  }

  /// UTF-16 with and without a byte order mark, Latin-1, a zero byte, and lines that end in a bare CR.
  @Test(
    arguments: [
      (
        [0xFF, 0xFE] + "upn,serial number,secret key,time interval\n".utf8.flatMap { [$0, 0] },
        "line 1: column: malformed"
      ),
      ("upn,serial number,secret key,time interval\n".utf8.flatMap { [0, $0] }, "line 1: column: malformed"),
      (table("\u{0}\u{0}alice,1,AAAAAAAA,30\n"), "line 2: account: malformed"),
      (table("alice,1,AAAA\u{0}AAAA,30\n"), "line 2: secret: malformed"),
      (table("alice,1\u{0},AAAAAAAA,30\n"), "line 2: serial: malformed"),
      (table("al") + [0xEF, 0x63, 0x65] + Array(",1,AAAAAAAA,30\n".utf8), "line 2: account: malformed"),
      (table("\"al\nice\",1,AAAAAAAA,30\n"), "line 2: account: malformed"),
      (table("alice,1,AAAAAAAA,30\rbob,2,AAAAAAAA,30\r"), "line 2: record: malformed"),
      (table("alice,1,AAAAAAAA,+30\n"), "line 2: period: malformed"),
      (table("alice,1,AAAAAAAA,３０\n"), "line 2: period: malformed"),
      (table("alice,1,A,30\n"), "line 2: secret: malformed"),
      (table("alice,1,AAAAAAAA,30,\n"), "line 2: record: mismatched"),
      (table("alice, \"1\",AAAAAAAA,30\n"), "line 2: record: malformed"),
    ] as [([UInt8], String)]) func `text in another encoding is refused by the encoding's name`(
      bytes: [UInt8], fault: String
    )
  {
    #expect(Reading(.csv(.entra), SeedSource(bytes: bytes)).faults == [fault])
  }

  private static func table(_ rows: String) -> [UInt8] {
    Array(("upn,serial number,secret key,time interval\n" + rows).utf8)
  }

  @Test func `byte order marks, line endings and quotes are not part of a table's fields`() throws {
    let text = "\u{FEFF}\"UPN\",\"serial number\",secret key,Time Interval\r\n\r\n\"al\"\"ice\", 1 ,AAAAAAAA,\"30\""
    let seed = try #require(Reading(.csv(.entra), text).seeds.first)
    #expect(seed.account == "al\"ice" && seed.serial == "1" && seed.kind == .totp(period: 30) && seed.line == 3)
  }
}
