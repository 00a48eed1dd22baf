"""A network of its own in which names lead where a test says: run as root of new user, mount and network namespaces, so that
nothing of it touches the machine. It has a DNS server, a public MCP server, listeners at addresses that nobody may reach, and a
gateway. Commands come as lines of JSON on standard input; each is answered by one line."""

import fcntl
import http.server
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import urllib.error
import urllib.request

PROGRAM, FOLDER = sys.argv[1:]
PUBLIC = "93.184.215.14"
FORBIDDEN = ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254"]
PORTS = [80, 443]

LOOK = {"operationId": "look", "responses": {"200": {"description": "ok"}}}
VIEWS = {"openapi": "3.0.3", "info": {"title": "Views", "version": "1"}, "paths": {"/look": {"get": LOOK}}}

rounds = {}
told = {}
reached = []
hosts = []


def open_network():
    SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, UP = 0x8914, 0x8916, 0x891C, 0x41
    control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", UP))
    more = [PUBLIC] + [one for one in FORBIDDEN if ":" not in one and not one.startswith("127.")]
    for at, address in enumerate(more):
        name = f"lo:{at}".encode()
        for request, value in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, "255.255.255.255")):
            packed = struct.pack("16sHH4s8x", name, socket.AF_INET, 0, socket.inet_aton(value))
            fcntl.ioctl(control, request, packed)
    for path, text in (("/etc/resolv.conf", "nameserver 127.0.0.1\n"), ("/etc/nsswitch.conf", "hosts: files dns\n")):
        if os.path.exists(path):
            own = os.path.join(FOLDER, os.path.basename(path))
            with open(own, "w") as file:
                file.write(text)
            subprocess.run(["mount", "--bind", own, os.path.realpath(path)], check=True)


def answer(query):
    """The answer to one question: each look at a name takes the next of its rounds, and begins again after the last."""
    end, labels = 12, []
    while query[end]:
        labels.append(query[end + 1:end + 1 + query[end]].decode())
        end += 1 + query[end]
    name, (kind,) = ".".join(labels).lower(), struct.unpack(">H", query[end + 1:end + 3])
    family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
    found = []
    if family and name in rounds:
        looks = told.setdefault((name, kind), [])
        given = rounds[name][len(looks) % len(rounds[name])]
        found = [one for one in given if (":" in one) == (family == socket.AF_INET6)]
        looks.append(found)
    code = 0 if name in rounds else 3
    said = query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(found), 0, 0) + query[12:end + 5]
    for one in found:
        data = socket.inet_pton(family, one)
        said += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(data)) + data
    return said


def serve_names():
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("127.0.0.1", 53))

    def serve():
        while True:
            query, who = names.recvfrom(4096)
            names.sendto(answer(query), who)

    threading.Thread(target=serve, daemon=True).start()


def forbid(address, port):
    listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(64)

    def serve():
        while True:
            connection, _ = listener.accept()
            reached.append(address)
            connection.close()

    threading.Thread(target=serve, daemon=True).start()


class Mcp(http.server.BaseHTTPRequestHandler):
    """HTTP/1.0, so that every request is a connection of its own and its name is looked up anew."""

    def do_GET(self):
        """The description of the API, and its one operation."""
        hosts.append(self.headers["host"])
        self.send_json(VIEWS if self.path == "/views.json" else {"seen": "all"})

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        hosts.append(self.headers["host"])
        if self.path == "/guarded":
            self.send_response(401)
            self.send_header("www-authenticate", 'Bearer resource_metadata="http://metadata.example/about"')
            self.end_headers()
            return
        if "id" not in message:
            self.send_response(202)
            self.end_headers()
            return
        info = {"name": "public", "version": "1"}
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info},
            "tools/list": {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "looked"}]},
            "ping": {},
        }
        said = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] in results:
            said["result"] = results[message["method"]]
        else:
            said["error"] = {"code": -32601, "message": "no such method"}
        self.send_json(said)

    def send_json(self, said):
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def toolgate(*words):
    own = ["--config", os.path.join(FOLDER, "toolgate.toml"), "--data", os.path.join(FOLDER, "data")]
    environment = {**os.environ, "XDG_STATE_HOME": os.path.join(FOLDER, "state")}
    return {"args": [PROGRAM, *own, *words], "cwd": FOLDER, "env": environment, "stdin": subprocess.DEVNULL}


def boot():
    words = ["--json", "serve", "--listen", "127.0.0.1:0"]
    with open(os.path.join(FOLDER, "log"), "wb") as log:
        process = subprocess.Popen(**toolgate(*words), stdout=subprocess.PIPE, stderr=log)
    said = json.loads(process.stdout.readline())
    with open(said["tokens_file"]) as file:
        tokens = json.load(file)
    return process, said["endpoint"].removesuffix("/mcp"), tokens["admin"]


def ask(base, token, method, path, body):
    request = urllib.request.Request(base + path, method=method)
    request.add_header("authorization", f"Bearer {token}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("content-type", "application/json")
    try:
        with urllib.request.urlopen(request) as answered:
            return [answered.status, json.load(answered)]
    except urllib.error.HTTPError as refused:
        return [refused.code, json.loads(refused.read() or "null")]


def command(words):
    done = subprocess.run(**toolgate(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return [done.returncode, done.stdout.decode()]


def main():
    open_network()
    serve_names()
    for address in FORBIDDEN:
        for port in PORTS:
            forbid(address, port)
    public = http.server.ThreadingHTTPServer((PUBLIC, 80), Mcp)
    threading.Thread(target=public.serve_forever, daemon=True).start()
    process, base, admin = boot()
    try:
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            verb, *rest = json.loads(line)
            if verb == "names":
                rounds.update(rest[0])
                said = None
            elif verb == "ask":
                said = ask(base, admin, *rest)
            elif verb == "run":
                said = command(rest[0])
            elif verb == "looks":
                said = sum(1 for found in told.get((rest[0], 1), []) if rest[1] in found)
            else:
                said = {"reached": reached, "hosts": hosts}
            print(json.dumps(said), flush=True)
    finally:
        process.terminate()
        process.wait()


main()
