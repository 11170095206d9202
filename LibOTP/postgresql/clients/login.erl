%% Second factors in Erlang with p1_pgsql (Debian: erlang-p1-pgsql): one SELECT is one sign-in. Run it by
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
    ask(Connection, "SELECT * FROM otp.enroll($1, $2, $3)", [Subject, "Example", Subject]);
answer(Connection, "confirm", Arguments) ->
    ask(Connection, "SELECT answer FROM otp.confirm($1, $2)", Arguments);
%% After the password was right: let the user in if the answer is "accepted", and in no other case.
answer(Connection, "verify", Arguments) ->
    ask(Connection, "SELECT answer FROM otp.verify($1, $2)", Arguments).

ask(Connection, Query, Values) ->
    {ok, _, _, _, [[{text, Answer}]]} = pgsql:pquery(Connection, Query, Values),
    Answer.
