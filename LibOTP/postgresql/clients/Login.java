// Second factors in Java with JDBC (Debian: libpostgresql-jdbc-java): one CALL is one sign-in.
// Run by: java -cp /usr/share/java/postgresql.jar Login.java URL.
//
// Requests are lines, NUMBER enroll SUBJECT or NUMBER confirm|verify SUBJECT CODE; answers, NUMBER ANSWER.
import java.sql.*;
import java.util.Scanner;

record Login(Connection database) { // Its autocommit is on, as at first: no transaction is open.
  /** The otpauth:// URI for the QR code, secret included: only for the user who enrolls. */
  String enroll(String subject) throws SQLException {
    return ask("SELECT * FROM otp.enroll(?, ?, ?)", subject, "Example", subject);
  }
  String confirm(String subject, String typed) throws SQLException {
    return ask("CALL otp.confirm(?, ?)", subject, typed);
  }
  /** After the password was right: let the user in if the answer is "accepted", and in no other case. */
  String verify(String subject, String typed) throws SQLException {
    return ask("CALL otp.verify(?, ?)", subject, typed);
  }
  private String ask(String query, String... values) throws SQLException {
    try (var statement = database.prepareStatement(query)) {
      for (int i = 0; i < values.length; i++) statement.setString(i + 1, values[i]);
      var row = statement.executeQuery();
      row.next();
      return row.getString(1);
    }
  }
  public static void main(String[] arguments) throws SQLException {
    var login = new Login(DriverManager.getConnection(arguments[0]));
    for (var lines = new Scanner(System.in); lines.hasNextLine(); ) {
      var words = lines.nextLine().split(" ");
      System.out.println(words[0] + " " + switch (words[1]) {
        case "enroll" -> login.enroll(words[2]);
        case "confirm" -> login.confirm(words[2], words[3]);
        default -> login.verify(words[2], words[3]);
      });
    }
  }
}
