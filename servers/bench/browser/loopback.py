"""Pages on loopback: MiniWoB++ with a small script that starts the episode and reports its reward, and the generated pages.

The script is the harness' own channel. The policy sees none of it: not the seed, not the reward, not the page's source.
"""

import http.server
import json
import mimetypes
import pathlib
import threading
import urllib.parse

import large_pages

EPISODE_MILLISECONDS = 600_000

# The pages are laid out for Arial to the pixel. Arimo has its widths; a wider font breaks lines that the pages' scripts count on.
FONTS = {"400": "arimo-latin-400-normal.woff2", "700": "arimo-latin-700-normal.woff2"}
FACES = "".join(f"@font-face{{font-family:Arial;font-weight:{weight};src:url(/harness/{file})}}" for weight, file in FONTS.items())

# Runs after the page's own scripts. The display of rewards and the START cover are taken away, as other harnesses do: they are
# part of the game for people and would change every second. The reward is what the page put into WOB_RAW_REWARD_GLOBAL.
HARNESS = """
<style>%s</style>
<script>
window.addEventListener('load', function () {
  Promise.all([document.fonts.load('10px Arial'), document.fonts.load('bold 10px Arial')]).then(function () {
    var asked = new URLSearchParams(location.search);
    var tell = function (message) {
      message.episode = asked.get('episode');
      navigator.sendBeacon('/harness/report', JSON.stringify(message));
    };
    var end = core.endEpisode;
    core.EPISODE_MAX_TIME = %d;
    core.countdownTimer = core.clearTimer = core.updateDisplay = core.canvasClear = function () {};
    document.body.removeEventListener('click', core.canvasDrawClick);
    ['reward-display', 'click-canvas', 'sync-task-cover'].forEach(function (id) {
      var node = document.getElementById(id);
      if (node) node.remove();
    });
    var counter = document.createElement('i');
    counter.id = 'episode-id';
    counter.hidden = true;
    document.body.appendChild(counter);
    core.startEpisode = function () {};
    core.endEpisode = function () {
      var open = core.EP_TIMER !== null;
      end.apply(this, arguments);
      if (open) tell({reward: WOB_RAW_REWARD_GLOBAL, reason: String(WOB_REWARD_REASON)});
    };
    Math.seedrandom(asked.get('seed'));
    core.startEpisodeReal();
    tell({ready: true});
  });
});
</script>
""" % (FACES, EPISODE_MILLISECONDS)


class Reports:
    """What the pages have told about their episodes."""

    def __init__(self):
        self._changed = threading.Condition()
        self._rewards = {}
        self._ready = set()

    def take(self, message):
        with self._changed:
            episode = message.get("episode")
            if message.get("ready"):
                self._ready.add(episode)
            elif "reward" in message:
                self._rewards.setdefault(episode, (message["reward"], message.get("reason")))
            self._changed.notify_all()

    def wait_ready(self, episode, seconds):
        with self._changed:
            return self._changed.wait_for(lambda: episode in self._ready, seconds)

    def reward(self, episode, seconds):
        """The reward and its reason, or nothing if the episode has not ended within the time."""
        with self._changed:
            self._changed.wait_for(lambda: episode in self._rewards, seconds)
            return self._rewards.get(episode)


class Loopback:
    """The server of the pages, on a port of its own."""

    def __init__(self, miniwob_html, fonts):
        self.reports = Reports()
        parts = {"root": pathlib.Path(miniwob_html).resolve(), "fonts": pathlib.Path(fonts), "reports": self.reports}
        handler = type("Handler", (_Handler,), parts)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self._server.server_address[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def task(self, name, seed, episode):
        query = urllib.parse.urlencode({"seed": seed, "episode": episode})
        return f"{self.origin}/miniwob/{name}.html?{query}"

    def large(self, name):
        return f"{self.origin}/large/{name}"

    def stop(self):
        self._server.shutdown()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root = None
    fonts = None
    reports = None

    def do_GET(self):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if path.startswith("/large/"):
            body = large_pages.page(path.removeprefix("/large/"))
            return self._send(200 if body else 404, "text/html; charset=utf-8", (body or "none").encode())
        if path == "/cookie":
            return self._cookie()
        if path.removeprefix("/harness/") in FONTS.values():
            return self._send(200, "font/woff2", (self.fonts / path.removeprefix("/harness/")).read_bytes())
        return self._file(path)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.reports.take(json.loads(body))
        self._send(204, "text/plain", b"")

    def _cookie(self):
        """Says which name the visitor has, and gives the one in the query if there is none."""
        name = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("name", [""])[0]
        has = self.headers.get("Cookie", "")
        given = {} if "name=" in has else {"Set-Cookie": f"name={name}; Path=/"}
        body = f"<!doctype html><title>Cookie</title><h1>Cookie</h1><p>You came with: {has or 'nothing'}</p>"
        self._send(200, "text/html; charset=utf-8", body.encode(), given)

    def _file(self, path):
        file = (self.root / path.lstrip("/")).resolve()
        if not file.is_relative_to(self.root) or not file.is_file():
            return self._send(404, "text/plain", b"none")
        body = file.read_bytes()
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        if path.startswith("/miniwob/") and file.suffix == ".html":
            body = body.replace(b"</body>", HARNESS.encode() + b"</body>", 1)
            kind = "text/html; charset=utf-8"
        return self._send(200, kind, body)

    def _send(self, status, kind, body, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass
