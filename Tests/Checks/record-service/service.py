"""What `otp record serve` is as a process: service.py OTP FOLDER. Every request and answer fits the schema; a socket is
private; neither a client that reads nothing nor too many, nor too few threads, hold up others; the keyring is read
again on SIGHUP; secrets are on no standard error and in no argument; memory is bounded.
"""

import atexit
import json
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import time

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from in_memory import in_memory  # noqa: E402

otp, folder = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads(pathlib.Path("Tool/record-service/schema.json").read_text())
keyring, path = str(folder / "keyring"), str(folder / "socket")
SECRET, WIPED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
signal.signal(signal.SIGHUP, signal.SIG_IGN)  # As below nohup.
checks = 0


def require(condition, what):
    global checks
    if not condition:
        sys.exit(f"record-service: {what}")
    checks += 1


def eventually(condition, what):
    require(any(condition() or time.sleep(0.01) for _ in range(1000)), what)


def valid(kind, value):
    rules = {"$defs": schema["$defs"], "$ref": f"#/$defs/{kind}"}
    jsonschema.Draft202012Validator(rules).validate(value)
    return value


class Client:
    """A connection to the socket."""

    def __init__(self, place=path):
        self.connection = socket.socket(socket.AF_UNIX)
        # With a time limit, it would not wait for room in the queue of connections.
        self.connection.connect(place)
        self.connection.settimeout(60)
        self.lines = self.connection.makefile("rb")

    def send(self, line):
        self.connection.sendall(line + b"\n")

    def ask(self, **request):
        self.send(json.dumps(valid("request", request)).encode())
        answer = json.loads(self.lines.readline())
        return valid("error" if "error" in answer else "answer", answer)


def started(*arguments, **environment):
    service = subprocess.Popen([otp, "record", "serve", keyring, *arguments], stderr=(folder / "log").open("ab"),
                               env=os.environ | environment)
    # Otherwise what waits for the end of this output would wait for the service.
    atexit.register(service.kill)
    for _ in range(1000):
        try:
            return service, Client()
        except OSError:
            time.sleep(0.01)
    sys.exit("record-service: the socket is not there")


def keys(*words):
    ran = subprocess.run([otp, "keyring", *words], check=True, capture_output=True, text=True)
    return ran.stdout.split("=")[-1].strip()


keys("new", keyring)
service, client = started("--socket", path)
require(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "others can connect to the socket")
again = subprocess.run([otp, "record", "serve", keyring, "--socket", path], capture_output=True, text=True)
require(again.returncode == 65 and "another process" in again.stderr, "two services on one socket")
ran = subprocess.run([otp, "record", "serve", keyring], stdin=os.open(folder, os.O_RDONLY), capture_output=True)
require(ran.returncode == 65, "an input that cannot be read is taken for an empty one")

common = {"id": 1, "subject": "user 42", "time": 1111111141}
new = client.ask(op="enroll", issuer="E", account="a", secret=SECRET, **common)["record"]
require(client.ask(op="uri", issuer="E", account="a", record=new, **common)["uri"].startswith("otpauth:"), "no URI")
require(client.ask(op="confirm", code="266759", record=new, **common)["answer"] == "enrolled", "not confirmed")
record = client.ask(op="enroll", kind="hotp", secret=SECRET, confirmed=True, previous=new, **common)["record"]
pair = client.ask(op="resynchronize", codes=["755224", "287082"], record=record, **common)
require(pair["movingFactor"] == "1", "a token is not resynchronized")
codes = client.ask(op="recoveryCodes", **common)
for operation in ("info", "reseal", "unlock", "explain", "spend"):
    more = {"explain": {"code": codes["codes"][0]}, "spend": {"until": 1111111141}}.get(operation, {})
    require("error" not in client.ask(op=operation, record=codes["record"], **more, **common), operation)
altered = client.ask(op="info", record=record[:-8] + "AAAAAAA=", **common)
require(altered == {"error": "notAuthentic", "field": "record", "id": 1}, "an altered record is read")
require(client.ask(op="info", record=record, **common | {"subject": "user 43"})["error"] == "anotherSubject", "subject")

# A client that reads no answers, and one that sends a line without an end.
stalled, endless = Client(), Client()
stalled.connection.setblocking(False)
try:
    while True:
        stalled.send(b'{"id":1,"op":"recoveryCodes","subject":"u"}')
except BlockingIOError:
    pass
for _ in range(64):
    endless.connection.sendall(b"x" * (1 << 20))
require("error" not in Client().ask(op="info", record=record, **common), "a client holds up another one")
idle = [Client() for _ in range(256)]
require(json.loads(idle[-1].lines.readline()) == {"error": "busy"}, "more clients than 256")
eventually(lambda: "a client was refused" in (folder / "log").read_text(), "a refused client is not logged")
require((folder / "log").read_text().startswith("otp: serving records on the socket\n"), "a start is not logged")
idle.clear()


def is_served():
    try:
        return "error" not in Client().ask(op="info", record=record, **common)
    except (OSError, ValueError):
        return False


eventually(is_served, "a client that has gone keeps its place")
endless.send(b"")
require(json.loads(endless.lines.readline()) == {"error": "tooLong"}, "a line of 64 MiB")
memory = pathlib.Path(f"/proc/{service.pid}/status").read_text()
peak = int(memory.split("VmHWM:")[1].split()[0])
require(peak < 60_000, f"{peak} KiB of memory")

# Another key, without a new start; and a keyring that is damaged, which changes nothing.
old = client.ask(op="info", record=record, **common)["sealedBy"]
name = keys("add", keyring)
keys("activate", keyring, name)
service.send_signal(signal.SIGHUP)
eventually(lambda: client.ask(op="reseal", record=record, **common)["changed"], "SIGHUP is not noticed")
eventually(lambda: "the keyring was read again\n" in (folder / "log").read_text(), "a keyring read again is not logged")
sealed = client.ask(op="reseal", record=record, **common)
require(client.ask(op="info", record=sealed["record"], **common)["sealedBy"] == name != old, "another key has sealed")
pathlib.Path(keyring).rename(folder / "aside")
service.send_signal(signal.SIGHUP)
eventually(lambda: "is missing" in (folder / "log").read_text(), "a missing keyring is not noticed")
require("error" not in client.ask(op="info", record=record, **common), "a missing keyring ends the service")
(folder / "aside").rename(keyring)

# A secret is in memory while its request is incomplete, and is wiped with the answer.
line = json.dumps(valid("request", {"op": "enroll", "secret": WIPED, "confirmed": True, **common})).encode()
client.connection.sendall(line)
eventually(lambda: in_memory(service.pid, WIPED.encode()), "memory cannot be searched")
client.send(b"")
require("error" not in json.loads(client.lines.readline()), "a request in two parts")
require(not in_memory(service.pid, WIPED.encode()), "a secret stays in memory")
arguments = pathlib.Path(f"/proc/{service.pid}/cmdline").read_bytes()
require(SECRET.encode() not in arguments and SECRET not in (folder / "log").read_text(), "a secret is shown")
# The socket of a service that was killed is replaced; one that systemd has opened is taken.
service.kill()
service.wait()
(folder / "threads.c").write_text("""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
int pthread_create(void *thread, void *attributes, void *main, void *argument) {
  int (*next)(void *, void *, void *, void *) = dlsym(RTLD_NEXT, "pthread_create");
  return access(getenv("NO_THREADS"), F_OK) == 0 ? EAGAIN : next(thread, attributes, main, argument);
}
""")
subprocess.run(["clang", "-shared", "-fPIC", folder / "threads.c", "-o", folder / "threads.so"], check=True)
service, client = started("--socket", path, LD_PRELOAD=str(folder / "threads.so"), NO_THREADS=str(folder / "none"))
require("error" not in client.ask(op="info", record=record, **common), "after a kill")
# While there can be no thread for a client, it is refused, and takes no place.
(folder / "none").touch()
require(all(json.loads(Client().lines.readline()) == {"error": "busy"} for _ in range(300)), "a client is not refused")
(folder / "none").unlink()
require(is_served(), "a client that was refused keeps its place")
service.kill()
service.wait()
os.unlink(path)
listening = socket.socket(socket.AF_UNIX)
listening.bind(path)
listening.listen()
command = 'exec 3<&"$3"; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$1" record serve "$2"'
service = subprocess.Popen(["bash", "-c", command, "-", otp, keyring, str(listening.fileno())],
                           pass_fds=[listening.fileno()])
require("error" not in Client().ask(op="info", record=record, **common), "a socket of systemd's")
service.kill()
service.wait()
print(f"{checks} expectations of the process")
