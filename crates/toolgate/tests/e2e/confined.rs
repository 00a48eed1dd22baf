//! A server that attacks the gateway: the resources that its process reaches, and those that it does not.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::{Gateway, until};

use crate::doors::WAIT;
use crate::kit::listed;
use crate::toolgate;

/// A server that runs any given code, as a malicious package would.
const HOSTILE: &str = r#"
import ctypes, json, os, socket, subprocess, sys

def say(id, **message):
    print(json.dumps({"jsonrpc": "2.0", "id": id, **message}), flush=True)

def run(code):
    scope = dict(globals())
    try:
        exec(code, scope)
        return repr(scope.get("out"))
    except BaseException as problem:
        return f"FAILED {type(problem).__name__}: {problem}"

for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if id is None:
        continue
    if method == "initialize":
        info = {"name": "hostile", "version": "1"}
        say(id, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info})
    elif method == "tools/list":
        say(id, result={"tools": [{"name": "run", "inputSchema": {"type": "object"}}]})
    elif method == "tools/call":
        text = run(message["params"]["arguments"]["code"])
        say(id, result={"content": [{"type": "text", "text": text}]})
    else:
        say(id, error={"code": -32601, "message": "no such method"})
"#;

/// The way a server finds the gateway's data folder: it is in the command line.
const DATA: &str = r#"
gateway = os.getppid()
line = open(f"/proc/{gateway}/cmdline").read().split("\0")
data = line[line.index("--data") + 1]
"#;

/// The interpreter itself: the one on PATH may be a script that needs a home folder.
pub(crate) fn python() -> PathBuf {
    let said = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let said = said.expect("python3 is there").stdout;
    PathBuf::from(String::from_utf8(said).expect("a path").trim())
}

/// A `[[servers]]` entry for it, with more arguments and more lines.
fn hostile(args: &[&str], more: &str) -> String {
    let args = json!([&["-c", HOSTILE], args].concat());
    format!("[[servers]]\nname = \"bad\"\ncommand = {:?}\nargs = {args}\n{more}\n", python())
}

struct ConfinedScene {
    gateway: Gateway,
}

impl ConfinedScene {
    async fn new(entry: &str, folder: TempDir, env: &[(&str, &str)]) -> Self {
        let gateway = Gateway::boot_with(toolgate(), entry, folder, env);
        listed(&gateway, "bad__run").await;
        Self { gateway }
    }

    /// Of the usual kind.
    async fn usual() -> Self {
        Self::new(&hostile(&[], ""), folder(), &[]).await
    }

    /// The server's output after running this.
    async fn run(&self, code: &str) -> String {
        let arguments = json!({ "name": "bad__run", "arguments": { "code": code } });
        let result = self.gateway.client().modern("tools/call", arguments).await.result();
        result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }

    async fn fails(&self, code: &str) {
        let said = self.run(code).await;
        assert!(said.starts_with("FAILED"), "{code}\nsaid {said}");
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A folder without write access by default: temporary folders are writable for all.
fn outside() -> TempDir {
    let home = std::env::home_dir().expect("whoever runs tests has a home folder");
    tempfile::Builder::new().prefix("toolgate-test-").tempdir_in(home).expect("a folder")
}

fn writing(folder: &Path) -> String {
    format!("out = open({:?} + '/new', 'w').write('x')", folder)
}

#[tokio::test]
async fn a_server_finds_nothing_of_what_the_gateway_keeps() {
    let scene = ConfinedScene::usual().await;
    assert!(
        scene.gateway.data().join("vault.key").exists() && scene.gateway.data().join("api.sock").exists()
    );
    assert_eq!(scene.run(&format!("{DATA}out = os.listdir(data)")).await, "[]");
    for file in ["vault.key", "gateway.key", "toolgate.db"] {
        scene.fails(&format!("{DATA}out = open(data + '/{file}', 'rb').read()")).await;
    }
    for socket in ["api.sock", "gateway.sock", "agent.sock"] {
        let connect = "socket.socket(socket.AF_UNIX).connect";
        scene.fails(&format!("{DATA}{connect}(data + '/{socket}')")).await;
    }
    scene.fails(&format!("{DATA}out = open(data + '/new', 'w')")).await;
}

#[tokio::test]
async fn a_server_does_not_look_into_the_process_of_the_gateway_nor_end_it() {
    let scene = ConfinedScene::usual().await;
    for look in [
        "os.readlink(p + 'fd/0')",
        "open(p + 'environ').read()",
        "open(p + 'mem', 'rb')",
        "os.listdir(p + 'cwd/')",
    ] {
        scene.fails(&format!("p = f'/proc/{{os.getppid()}}/'; out = {look}")).await;
    }
    scene.fails("out = os.listdir(f'/proc/{os.getppid()}/root/')").await;
    for signal in [0, 15, 9] {
        scene.fails(&format!("os.kill(os.getppid(), {signal})")).await;
    }
    assert_eq!(scene.run("out = 1 + 1").await, "2", "both live");
}

#[tokio::test]
async fn what_is_hidden_cannot_be_uncovered() {
    let scene = ConfinedScene::usual().await;
    let uncover = "libc = ctypes.CDLL(None, use_errno=True)\n\
        out = [libc.umount2(data.encode(), 2), os.listdir(data)]";
    assert_eq!(scene.run(&format!("{DATA}{uncover}")).await, "[-1, []]");
    // In its own namespaces it may do much, but not that.
    let deeper = format!(
        "{DATA}\ncode = '''\nimport ctypes, os, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n\
         libc.unshare(0x10000000 | 0x20000)\nlibc.umount2(sys.argv[1].encode(), 2)\n\
         libc.mount(sys.argv[1].encode(), b'/mnt', None, 4096, None)\n\
         print(os.listdir(sys.argv[1]), 'vault.key' in os.listdir('/mnt'))\n'''\n\
         out = subprocess.run([sys.executable, '-c', code, data], capture_output=True, text=True).stdout.strip()"
    );
    assert_eq!(scene.run(&deeper).await, "'[] False'");
    let capabilities =
        "out = [line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')]";
    let none = "0".repeat(16);
    assert_eq!(scene.run(capabilities).await, format!("{:?}", [&none; 5]).replace('"', "'"));
}

#[tokio::test]
async fn a_server_neither_reads_nor_changes_the_configuration() {
    let scene = ConfinedScene::usual().await;
    let path = scene.gateway.folder().join("toolgate.toml");
    let before = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(scene.run(&format!("out = open({path:?}).read()")).await, "''");
    scene.run(&format!("open({path:?}, 'a').write('listen = 1')")).await;
    scene.fails(&format!("os.remove({path:?})")).await;
    scene.fails(&format!("os.rename({path:?}, {path:?} + '.old')")).await;
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), before);
}

#[tokio::test]
async fn a_server_does_not_see_the_secrets_of_the_home_folder() {
    let home = folder();
    for (name, file) in
        [(".ssh", "id_ed25519"), (".aws", "credentials"), (".config/gcloud", "x"), ("docs", "note")]
    {
        std::fs::create_dir_all(home.path().join(name)).expect("made");
        std::fs::write(home.path().join(name).join(file), "secret").expect("written");
    }
    std::fs::write(home.path().join(".npmrc"), "secret").expect("written");
    let env = [("HOME", home.path().to_str().expect("text"))];
    let scene = ConfinedScene::new(&hostile(&[], ""), folder(), &env).await;
    for place in [".ssh", ".aws", ".config/gcloud"] {
        let look = format!("out = os.listdir(os.environ['HOME'] + '/{place}')");
        assert_eq!(scene.run(&look).await, "[]", "{place}");
    }
    assert_eq!(scene.run("out = open(os.environ['HOME'] + '/.npmrc').read()").await, "''");
    assert_eq!(scene.run("out = open(os.environ['HOME'] + '/docs/note').read()").await, "'secret'");
}

#[tokio::test]
async fn a_server_writes_in_its_folders_and_nowhere_else() {
    let (elsewhere, work, named) = (outside(), outside(), outside());
    let cwd = format!("cwd = {:?}", work.path());
    let scene =
        ConfinedScene::new(&hostile(&[named.path().to_str().expect("text")], &cwd), folder(), &[]).await;
    assert_eq!(scene.run("out = open('here', 'w').write('x')").await, "1", "its working folder");
    assert_eq!(scene.run(&writing(named.path())).await, "1", "a folder that its arguments name");
    assert_eq!(scene.run("import tempfile; out = tempfile.TemporaryFile().write(b'x')").await, "1");
    assert!(work.path().join("here").exists() && named.path().join("new").exists());
    scene.fails(&writing(elsewhere.path())).await;
    scene.fails(&format!("out = os.mkdir({:?} + '/new')", elsewhere.path())).await;
    std::fs::write(elsewhere.path().join("note"), "x").expect("written");
    scene.fails(&format!("out = os.remove({:?} + '/note')", elsewhere.path())).await;
    assert_eq!(scene.run(&format!("out = open({:?} + '/note').read()", elsewhere.path())).await, "'x'");
    scene.fails("out = open('/dev/mem', 'rb')").await;
}

#[tokio::test]
async fn a_server_uses_the_network() {
    let scene = ConfinedScene::usual().await;
    let url: Value = scene.gateway.url("/healthz").into();
    let get = format!("import urllib.request; out = urllib.request.urlopen({url}).status");
    assert_eq!(scene.run(&get).await, "200");
}

#[tokio::test]
async fn a_gateway_that_stands_in_its_data_folder_does_not_hand_it_on() {
    let place = folder();
    let data = place.path().join("data");
    std::fs::create_dir(&data).expect("made");
    let entry = hostile(&[], "");
    std::fs::write(place.path().join("toolgate.toml"), &entry).expect("written");
    let mut tools = Command::new(toolgate());
    tools.arg("--config").arg(place.path().join("toolgate.toml")).args(["--data", "."]).current_dir(&data);
    let said =
        tools.args(["tools", "call", "bad__run", "code=out = os.listdir('.')"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(text.contains("'etc'") && !text.contains("vault.key"), "{text}");
}

#[tokio::test]
async fn what_the_operator_opens_is_open() {
    let home = folder();
    for name in [".ssh", ".aws"] {
        std::fs::create_dir(home.path().join(name)).expect("made");
        std::fs::write(home.path().join(name).join("key"), "secret").expect("written");
    }
    let opened = outside();
    let home = home.path().to_str().expect("text");
    let more = format!("sandbox = {{ write = [{:?}], read = [\"${{HOME}}/.aws\"] }}", opened.path());
    let scene = ConfinedScene::new(&hostile(&[], &more), folder(), &[("HOME", home)]).await;
    assert_eq!(scene.run(&writing(opened.path())).await, "1");
    assert_eq!(scene.run("out = os.listdir(os.environ['HOME'] + '/.aws')").await, "['key']");
    assert_eq!(scene.run("out = os.listdir(os.environ['HOME'] + '/.ssh')").await, "[]");
    assert_eq!(scene.run(&format!("{DATA}out = os.listdir(data)")).await, "[]");
}

#[tokio::test]
async fn a_server_without_a_sandbox_is_refused_at_the_sockets_all_the_same() {
    let elsewhere = outside();
    let scene = ConfinedScene::new(&hostile(&[], "sandbox = \"off\""), folder(), &[]).await;
    assert_eq!(scene.run(&writing(elsewhere.path())).await, "1");
    let ask = "key = open(data + '/gateway.key', 'rb').read()\ns = socket.socket(socket.AF_UNIX)\n\
        s.connect(data + '/api.sock')\ns.sendall(key + b'GET /tokens HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')\nout = s.recv(100)";
    let said = scene.run(&format!("{DATA}{ask}")).await;
    assert!(said == "b''" || said.starts_with("FAILED"), "{said}");
    let log = scene.gateway.log();
    assert!(log.iter().any(|line| line.contains("a server's process was refused")), "{log:#?}");
}

#[tokio::test]
async fn the_browsers_server_confines_its_pages_and_changes_nothing_of_the_machine() {
    let programs = folder();
    let program = programs.path().join("browser-mcp");
    std::os::unix::fs::symlink(python(), &program).expect("a link");
    let entry = hostile(&[], "").replace(&format!("{:?}", python()), &format!("{program:?}"));
    let browser = ConfinedScene::new(&entry, folder(), &[]).await;
    let others = ConfinedScene::usual().await;
    let namespaces =
        "out = subprocess.run(['unshare', '--user', '--map-user=7', 'true'], stderr=-3).returncode";
    assert_eq!(browser.run(namespaces).await, "0");
    assert_ne!(others.run(namespaces).await, "0");
    for setting in ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness", "/proc/mtrr"] {
        browser.fails(&format!("out = open({setting:?}, 'r+')")).await;
    }
    browser.fails(&format!("{DATA}out = open(f'/proc/{{gateway}}/mem', 'r+b')")).await;
}

#[tokio::test]
async fn a_server_without_a_network_reaches_nobody() {
    let scene = ConfinedScene::new(&hostile(&[], "sandbox = { network = false }"), folder(), &[]).await;
    let port = scene.gateway.url("").rsplit(':').next().expect("a port").to_owned();
    scene.fails(&format!("socket.create_connection(('127.0.0.1', {port}))")).await;
    scene
        .fails("s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', 53))")
        .await;
    assert_eq!(scene.run("a, b = socket.socketpair(); a.send(b'x'); out = b.recv(1)").await, "b'x'");
}

#[tokio::test]
async fn how_a_server_is_confined_is_told_in_words() {
    let entry = hostile(&[], "sandbox = { network = false }");
    let off = "[[servers]]\nname = \"open\"\ncommand = \"true\"\nsandbox = \"off\"\n";
    let scene = ConfinedScene::new(&(entry + off), folder(), &[]).await;
    let data = scene.gateway.data().display().to_string();
    let cli = |args: &[&str]| String::from_utf8(scene.gateway.cli(args).stdout).expect("text");
    let shown = cli(&["servers", "show", "bad"]);
    let engine = format!("{data}-engine");
    for words in ["sandbox    confined", "does not see ", &data, &engine, "writes only in ", "has no network"]
    {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let shown: Value = serde_json::from_str(&cli(&["servers", "show", "open", "--json"])).expect("JSON");
    assert_eq!(shown["confinement"]["level"], "off", "{shown}");
    let doctor = cli(&["doctor"]);
    assert!(doctor.contains("sandbox of bad: confined: does not see "), "{doctor}");
    assert!(doctor.contains("sandbox of open: not confined: "), "{doctor}");
    let http = scene.gateway.client().http;
    let asked = http.get(scene.gateway.url("/servers/bad")).bearer_auth(&scene.gateway.admin).send();
    let told: Value =
        serde_json::from_str(&asked.await.expect("it answers").text().await.expect("text")).expect("JSON");
    assert_eq!(told["confinement"]["level"], "confined", "{told}");
}

#[test]
fn a_server_may_run_as_another_user() {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0);
    let look = "[\"-c\", \"echo number $(id -u) at $HOME >&2; exit 1\"]";
    let entry = format!(
        "[[servers]]\nname = \"bad\"\ncommand = \"sh\"\nargs = {look}\nsandbox = {{ user = \"nobody\" }}\n"
    );
    let gateway = Gateway::boot(toolgate(), &entry);
    let expected = if is_root { "number 65534 at " } else { "needs a gateway that runs as root" };
    let said = until(WAIT, || {
        let shown = String::from_utf8(gateway.cli(&["servers", "show", "bad"]).stdout).expect("text");
        shown.contains(expected).then_some(shown)
    });
    assert!(said.is_some(), "{:?}", gateway.cli(&["servers", "show", "bad"]));
}
