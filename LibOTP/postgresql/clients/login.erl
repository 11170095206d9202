%% Second factors in Erlang with p1_pgsql (Debian: erlang-p1-pgsql): one CALL is one sign-in. Run it by
%% escript login.erl HOST PORT USER DATABASE.
%%
%% Requests are lines, NUMBER enroll SUBJECT or NUMBER confirm|verify SUBJECT CODE; answers, NUMBER ANSWER.
-module(login).
-mode(compile).
-export([main/1]).

main([Host, Port, User, Database]) ->
    {ok, Connection} = pgsql:connect(Host, Database, User, "", list_to_integer(Port)),
    serve(Connection).

serve(Connection) ->
    case io:get_line("") of
        eof -> ok;
        Line ->
            [Number, Request | Arguments] = string:lexemes(Line, " \n"),
            io:format("~s ~s~n", [Number, answer(Connection, Request, Arguments)]),
            serve(Connection)
    end.

%% The otpauth:// URI for the QR code, secret included: only for the user who enrolls.
answer(Connection, "enroll", [Subject]) ->
    ask(Connection, "SELECT * FROM otp.enroll", [Subject, "Example", Subject]);
answer(Connection, "confirm", Arguments) ->
    ask(Connection, "CALL otp.confirm", Arguments);
%% After the password was right: let the user in if the answer is "accepted", and in no other case.
answer(Connection, "verify", Arguments) ->
    ask(Connection, "CALL otp.verify", Arguments).

%% In hexadecimal, which nothing that a user types can leave: pgsql:pquery fails at the NULLs of an answer.
ask(Connection, Call, Values) ->
    Texts = [["convert_from('\\x", binary:encode_hex(unicode:characters_to_binary(Value)), "', 'UTF8')"]
        || Value <- Values],
    {ok, [{_, _, [[Answer | _]]}]} = pgsql:squery(Connection, lists:flatten([Call, "(", lists:join(", ", Texts), ")"])),
    Answer.
