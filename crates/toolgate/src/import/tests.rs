//! Files as the clients write them, and the results of importing them.

use std::collections::BTreeMap;
use std::path::Path;

use insta::assert_snapshot;

use super::*;

const CLAUDE_DESKTOP: &str = "/home/ann/.config/Claude/claude_desktop_config.json";
const CLAUDE_CODE: &str = "/src/app/.mcp.json";
const VS_CODE: &str = "/src/app/.vscode/mcp.json";
const CURSOR: &str = "/home/ann/.cursor/mcp.json";
const TARGET: &str = "/srv/gate/toolgate.toml";

fn around() -> ImportEnvironment<'static> {
    ImportEnvironment {
        home: Some(Path::new("/home/ann")),
        listen: "127.0.0.1:8700".parse().expect("an address"),
    }
}

fn read(path: &str, text: &str) -> ImportedServers {
    read_client_config(Path::new(path), text, &around()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(path: &str, text: &str) -> String {
    read_client_config(Path::new(path), text, &around()).expect_err("the text is wrong").to_string()
}

fn planned(path: &str, text: &str, current: Option<&str>) -> ImportPlan {
    let found = read(path, text);
    plan(found, Path::new(path), Path::new(TARGET), current, &BTreeMap::new())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The report, a line, the written text.
fn check(path: &str, text: &str, current: Option<&str>) -> String {
    let plan = planned(path, text, current);
    format!("{plan}----\n{}", plan.text)
}

#[test]
fn claude_desktop() {
    let text = r#"{
      "globalShortcut": "Ctrl+Space",
      "mcpServers": {
        "filesystem": {
          "command": "npx",
          "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann/My Documents", 5]
        },
        "My GitHub (work)": {
          "command": "docker",
          "args": ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"],
          "env": { "GITHUB_TOKEN": "ghp_abcdef0123456789", "LOG_LEVEL": "info", "COST": "5$", "PORT": 80 }
        },
        "off": { "command": "~/bin/off", "disabled": true, "autoApprove": ["x"] }
      }
    }"#;
    assert_snapshot!(check(CLAUDE_DESKTOP, text, None), @r#"
    Creates /srv/gate/toolgate.toml with 3 servers:

      + My-GitHub-work
          command: docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server
          env.COST: 5$$
          env.GITHUB_TOKEN: ********
          env.LOG_LEVEL: info
          env.PORT: 80
          note: it was called "My GitHub (work)"
          warning: env.GITHUB_TOKEN holds a secret in clear; better write `${NAME}` and `export NAME=…`

      + filesystem
          command: npx -y @modelcontextprotocol/server-filesystem "/home/ann/My Documents" 5

      + off (disabled)
          command: ${HOME}/bin/off
          note: not taken over: `autoApprove`
    ----
    # Toolgate configuration. `toolgate.example.toml` in the repository shows every key.

    # From /home/ann/.config/Claude/claude_desktop_config.json
    [[servers]]
    name = "My-GitHub-work"
    command = "docker"
    args = ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"]

    [servers.env]
    COST = "5$$"
    GITHUB_TOKEN = "ghp_abcdef0123456789"
    LOG_LEVEL = "info"
    PORT = "80"

    [[servers]]
    name = "filesystem"
    command = "npx"
    args = ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann/My Documents", "5"]

    [[servers]]
    name = "off"
    command = "${HOME}/bin/off"
    enabled = false
    "#);
}

#[test]
fn claude_code_runs_the_servers_of_a_project_in_its_folder() {
    let text = r#"{
      "mcpServers": {
        "local": { "type": "stdio", "command": "./bin/serve", "args": ["server.py", "${DB_URL:-sqlite://x}"], "env": {} },
        "api": {
          "type": "http",
          "url": "${API_BASE:-https://api.example.com}/mcp",
          "headers": { "Authorization": "Bearer ${API_KEY}", "Content-Type": "application/json", "X-Team": "blue" }
        },
        "elsewhere": { "command": "node", "cwd": "tools" }
      }
    }"#;
    assert_snapshot!(check(CLAUDE_CODE, text, None), @r#"
    Creates /srv/gate/toolgate.toml with 3 servers:

      + api
          url: ${API_BASE:-https://api.example.com}/mcp
          headers.Authorization: Bearer ${API_KEY}
          headers.X-Team: blue
          note: the header `Content-Type` is left out: Toolgate sets it itself

      + elsewhere
          command: node
          cwd: /src/app/tools

      + local
          command: /src/app/bin/serve server.py ${DB_URL:-sqlite://x}
          cwd: /src/app
    ----
    # Toolgate configuration. `toolgate.example.toml` in the repository shows every key.

    # From /src/app/.mcp.json
    [[servers]]
    name = "api"
    url = "${API_BASE:-https://api.example.com}/mcp"
    headers = { Authorization = "Bearer ${API_KEY}", X-Team = "blue" }

    [[servers]]
    name = "elsewhere"
    command = "node"
    cwd = "/src/app/tools"

    [[servers]]
    name = "local"
    command = "/src/app/bin/serve"
    args = ["server.py", "${DB_URL:-sqlite://x}"]
    cwd = "/src/app"
    "#);
}

#[test]
fn claude_code_servers_of_other_projects_are_left_alone() {
    let text = r#"{
      "numStartups": 5,
      "mcpServers": { "mine": { "command": "x" } },
      "projects": { "/src/other": { "mcpServers": { "theirs": { "command": "y" } } }, "/src/plain": {} }
    }"#;
    let found = read("/home/ann/.claude.json", text);
    assert_eq!(found.servers.len(), 1);
    assert_eq!(found.skipped, [("theirs".into(), "belongs to the project /src/other alone".into())]);
}

#[test]
fn cursor() {
    let text = r#"{
      "mcpServers": {
        "web": { "url": "https://mcp.example.com/sse", "headers": { "X-Api-Key": "${env:WEB_KEY}" } },
        "notes": { "command": "python", "args": ["${userHome}${/}notes.py"], "envFile": ".env" },
        "here": { "command": "${workspaceFolder}/x" }
      }
    }"#;
    assert_snapshot!(check(CURSOR, text, None), @r#"
    Creates /srv/gate/toolgate.toml with 2 servers:

      + notes
          command: python ${HOME}/notes.py
          note: not taken over: `envFile`

      + web
          url: https://mcp.example.com/sse
          headers.X-Api-Key: ${WEB_KEY}

      - here: skipped, uses `${workspaceFolder}`, which only the client can resolve
    ----
    # Toolgate configuration. `toolgate.example.toml` in the repository shows every key.

    # From /home/ann/.cursor/mcp.json
    [[servers]]
    name = "notes"
    command = "python"
    args = ["${HOME}/notes.py"]

    [[servers]]
    name = "web"
    url = "https://mcp.example.com/sse"
    headers = { X-Api-Key = "${WEB_KEY}" }
    "#);
}

#[test]
fn vs_code_with_comments_and_inputs() {
    let text = r#"{
      // what VS Code asks for
      "inputs": [
        { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true },
      ],
      "servers": {
        /* a comment */
        "perplexity": {
          "type": "stdio",
          "command": "npx",
          "args": ["-y", "server-perplexity-ask"],
          "env": { "PERPLEXITY_API_KEY": "${input:perplexity-key}", "ROOT": "${workspaceFolder}", },
        },
        "remote": { "type": "sse", "url": "https://example.com/sse", "headers": { "X-Key": "${input:2nd}" } },
        "unix": { "type": "http", "url": "unix:///tmp/x.sock" },
        "settings": { "command": "x", "args": ["${config:some.setting}"] },
      },
    }"#;
    assert_snapshot!(check(VS_CODE, text, None), @r#"
    Creates /srv/gate/toolgate.toml with 2 servers:

      + perplexity
          command: npx -y server-perplexity-ask
          cwd: /src/app
          env.PERPLEXITY_API_KEY: ${PERPLEXITY_KEY}
          env.ROOT: /src/app
          note: VS Code asks for `perplexity-key` (Perplexity API Key); Toolgate reads it from the environment: `export PERPLEXITY_KEY=…`

      + remote
          url: https://example.com/sse
          headers.X-Key: ${INPUT_2ND}
          note: VS Code asks for `2nd`; Toolgate reads it from the environment: `export INPUT_2ND=…`

      - settings: skipped, uses `${config:some.setting}`, which only the client can resolve
      - unix: skipped, `url` in server "unix" has the scheme `unix`
    ----
    # Toolgate configuration. `toolgate.example.toml` in the repository shows every key.

    # From /src/app/.vscode/mcp.json
    [[servers]]
    name = "perplexity"
    command = "npx"
    args = ["-y", "server-perplexity-ask"]
    cwd = "/src/app"
    env = { PERPLEXITY_API_KEY = "${PERPLEXITY_KEY}", ROOT = "/src/app" }

    [[servers]]
    name = "remote"
    url = "https://example.com/sse"
    headers = { X-Key = "${INPUT_2ND}" }
    "#);
}

#[test]
fn vs_code_settings() {
    let nested =
        r#"{ "editor.fontSize": 12, "mcp": { "inputs": [], "servers": { "a": { "command": "x" } } } }"#;
    let flat = r#"{ "editor.fontSize": 12, "mcp.servers": { "a": { "command": "x" } } }"#;
    for text in [nested, flat] {
        assert_eq!(read("/home/ann/.config/Code/User/settings.json", text).servers.len(), 1, "{text}");
    }
}

#[test]
fn entries_that_cannot_be_used_are_skipped_with_the_reason() {
    let text = r#"{ "mcpServers": {
        "a-number": 5,
        "args": { "command": "x", "args": "y" },
        "both": { "command": "x", "url": "http://x" },
        "empty": {},
        "header": { "url": "http://x", "headers": { "bad name": "1" } },
        "no-command": { "type": "stdio" },
        "no-url": { "type": "streamable-http" },
        "password": { "url": "https://ann:pw@example.com/" },
        "variable": { "command": "x", "env": { "A": "${env:not-a-name}" } },
        "websocket": { "type": "ws", "url": "ws://x" }
    } }"#;
    let plan = planned(CLAUDE_DESKTOP, text, None);
    assert!(plan.additions.is_empty());
    assert_snapshot!(plan.to_string(), @r#"
    Nothing to add to /srv/gate/toolgate.toml.

      - a-number: skipped, is not an object
      - args: skipped, has `args` that are not a list
      - both: skipped, has both `command` and `url`
      - empty: skipped, has neither `command` nor `url`
      - no-command: skipped, has no `command`
      - no-url: skipped, has no `url`
      - variable: skipped, uses `${env:not-a-name}`, which only the client can resolve
      - websocket: skipped, has the type "ws", which Toolgate does not speak
      - header: skipped, "bad name" in `headers` of server "header" is not a header name
      - password: skipped, `url` in server "password" holds a user name or password
    "#);
}

#[test]
fn toolgate_is_not_made_a_server_of_itself() {
    let text = r#"{ "mcpServers": {
        "a": { "command": "/usr/local/bin/toolgate", "args": ["stdio"] },
        "b": { "url": "http://localhost:8700/mcp" },
        "c": { "command": "npx", "args": ["mcp-remote", "http://127.0.0.1:8700/sse"] },
        "d": { "url": "http://127.0.0.1:8701/mcp" }
    } }"#;
    let found = read(CLAUDE_DESKTOP, text);
    assert_eq!(found.servers.iter().map(|server| &*server.name).collect::<Vec<_>>(), ["d"]);
    assert!(
        found.skipped.iter().all(|(_, reason)| reason == "points at Toolgate itself"),
        "{:?}",
        found.skipped
    );
}

#[test]
fn names_that_become_equal_are_numbered() {
    let found = read(
        CLAUDE_DESKTOP,
        r#"{ "mcpServers": {
        "my server": { "command": "a" }, "my/server": { "command": "b" }, "MY-SERVER": { "command": "c" }, "": { "command": "d" }
    } }"#,
    );
    let names: Vec<_> = found.servers.iter().map(|server| &*server.name).collect();
    assert_eq!(names, ["server", "MY-SERVER", "my-server-2", "my-server-3"]);
}

const CURRENT: &str = r#"# mine
listen = "127.0.0.1:8700" # not yours

[[servers]] # the first
name = "git"
command = "uvx"
args = ["mcp-server-git"]

[limits] # at the end
depth_max = 50
# the last line
"#;

#[test]
fn what_is_there_stays_and_is_compared() {
    let text = r#"{ "mcpServers": {
        "Git": { "command": "uvx", "args": ["mcp-server-git", "--other"] },
        "git-again": { "command": "uvx", "args": ["mcp-server-git"] },
        "time": { "command": "uvx", "args": ["mcp-server-time"] }
    } }"#;
    assert_snapshot!(check(CLAUDE_DESKTOP, text, Some(CURRENT)), @r#"
    Adds to /srv/gate/toolgate.toml 1 server:

      + time
          command: uvx mcp-server-time

      ! Git: another server has this name; add it by hand under another, such as `Git-2`
      - git-again: skipped, is there already as "git"
    ----
    # mine
    listen = "127.0.0.1:8700" # not yours

    [[servers]] # the first
    name = "git"
    command = "uvx"
    args = ["mcp-server-git"]

    [limits] # at the end
    depth_max = 50
    # the last line

    # From /home/ann/.config/Claude/claude_desktop_config.json
    [[servers]]
    name = "time"
    command = "uvx"
    args = ["mcp-server-time"]
    "#);
}

#[test]
fn importing_twice_adds_nothing() {
    let text = r#"{ "mcpServers": { "time": { "command": "./time", "env": { "A": "${B}", "C": "$D" } } } }"#;
    let first = planned(CLAUDE_CODE, text, Some(CURRENT));
    assert_eq!(first.additions.len(), 1);
    let second = planned(CLAUDE_CODE, text, Some(&first.text));
    assert_eq!(second.text, first.text);
    assert_snapshot!(second.to_string(), @r#"
    Nothing to add to /srv/gate/toolgate.toml.

      - time: skipped, is there already
    "#);
}

#[test]
fn a_conflict_is_added_under_the_name_that_is_given() {
    let found = read(CLAUDE_DESKTOP, r#"{ "mcpServers": { "git": { "command": "other" } } }"#);
    let renames = BTreeMap::from([("git".to_owned(), "git-2".to_owned())]);
    let plan =
        plan(found, Path::new(CLAUDE_DESKTOP), Path::new(TARGET), Some(CURRENT), &renames).expect("a plan");
    assert!(plan.conflicts.is_empty());
    assert_eq!(plan.additions[0].name, "git-2");
}

#[test]
fn a_list_of_inline_tables_is_added_to() {
    let current = "servers = [\n    { name = \"a\", command = \"x\" } # first\n    # last\n]\nlisten = \"127.0.0.1:1\"\n";
    let text = r#"{ "mcpServers": {
        "b": { "url": "https://example.com/", "headers": { "A": "1" } },
        "c": { "command": "y" }
    } }"#;
    assert_snapshot!(planned(CLAUDE_DESKTOP, text, Some(current)).text, @r#"
    servers = [
        { name = "a", command = "x" }, # first
        # last
        { name = "b", url = "https://example.com/", headers = { A = "1" } },
        { name = "c", command = "y" },
    ]
    listen = "127.0.0.1:1"
    "#);
}

#[test]
fn a_result_that_would_be_refused_is_not_written() {
    let found = read(CLAUDE_DESKTOP, r#"{ "mcpServers": { "b": { "command": "y" } } }"#);
    let current = "[[servers]]\nname = \"a\"\ncommand = \"x\"\nprefix = false\n";
    let error =
        plan(found, Path::new("x"), Path::new(TARGET), Some(current), &BTreeMap::new()).expect_err("refused");
    assert_snapshot!(error.to_string(), @r#"
    with these servers the configuration would be refused, so nothing is written
    /srv/gate/toolgate.toml:4:10: `prefix = false` in server "a", which is not the only server
    4 | prefix = false
      |          ^^^^^
    expected: `prefix = false` only where there is one enabled server
    hint: remove the line, or set `enabled = false` in the other servers
    "#);
}

#[test]
fn an_existing_file_that_is_wrong_is_left_alone() {
    let found = read(CLAUDE_DESKTOP, r#"{ "mcpServers": { "b": { "command": "y" } } }"#);
    let error = plan(found, Path::new("x"), Path::new(TARGET), Some("lisen = 1"), &BTreeMap::new())
        .expect_err("refused");
    assert_snapshot!(error.to_string(), @r#"
    the configuration that is there is refused, so nothing is added to it
    /srv/gate/toolgate.toml:1:1: unknown key `lisen` in the file
    1 | lisen = 1
      | ^^^^^
    expected: `listen`, `public_url`, `data`, `allowed_hosts`, `allowed_origins`, `limits`, `servers`, `capability_servers`, `sandbox`, `store`, `policy`, `approvals`, `validation`, `ledger`, `checkpoints`, `redact`, `quotas`, `filters`, `tools`, `webhooks`, `metering`, `otlp`, `mail`, `network`, `registry`, `aliases`, `vault`, `secrets`, `openbao`, `oauth`, `agents`, `capabilities`, `models`, `search`, `engine`, `files`, `results`, `runs`, `agent_loop`, `substrate`, `index`, `knowledge` or `console`
    hint: did you mean `listen`?
    "#);
}

#[test]
fn a_file_that_is_not_json() {
    assert_snapshot!(refused(CURSOR, "{\n  \"mcpServers\": {\n    'a': 1\n"), @r#"
    /home/ann/.cursor/mcp.json:3:5: this is not JSON: Single-quoted strings are not allowed
    hint: comments and trailing commas are fine, all else must be JSON
    "#);
}

#[test]
fn a_file_without_servers() {
    assert_snapshot!(refused(CURSOR, "{ \"theme\": \"dark\" }"), @r#"
    /home/ann/.cursor/mcp.json: no servers in this file
    expected: `mcpServers` (Claude Desktop, Claude Code, Cursor), or `servers` or `mcp.servers` (VS Code)
    hint: give the file that the client reads its MCP servers from
    "#);
}

#[test]
fn secrets_in_arguments_are_not_shown() {
    let text = r#"{ "mcpServers": { "a": {
        "command": "x", "args": ["--api-key=0123456789", "--token", "9876543210", "--mode", "fast-mode", "sk-live-abcdef"]
    } } }"#;
    let shown = planned(CLAUDE_DESKTOP, text, None).to_string();
    assert_snapshot!(shown, @r#"
    Creates /srv/gate/toolgate.toml with 1 server:

      + a
          command: x --api-key=******** --token ******** --mode fast-mode ********
          warning: args[0] holds a secret in clear; better write `${NAME}` and `export NAME=…`
          warning: args[2] holds a secret in clear; better write `${NAME}` and `export NAME=…`
          warning: args[5] holds a secret in clear; better write `${NAME}` and `export NAME=…`
    "#);
}

#[test]
fn a_secret_in_an_address_is_not_shown() {
    let text =
        r#"{ "mcpServers": { "a": { "url": "https://example.com/mcp?team=blue&api_key=0123456789" } } }"#;
    let plan = planned(CLAUDE_DESKTOP, text, Some("# only a comment"));
    assert_snapshot!(plan.to_string(), @r#"
    Adds to /srv/gate/toolgate.toml 1 server:

      + a
          url: https://example.com/mcp
          warning: url holds a secret in clear; better write `${NAME}` and `export NAME=…`
    "#);
    assert_snapshot!(plan.text, @r#"
    # only a comment

    # From /home/ann/.config/Claude/claude_desktop_config.json
    [[servers]]
    name = "a"
    url = "https://example.com/mcp?team=blue&api_key=0123456789"
    "#);
}

proptest::proptest! {
    /// A text that is no reference of any client means the same before and after.
    #[test]
    fn plain_text_means_the_same_after_the_translation(text in "[a$ {}:/-]{0,12}") {
        let terms = super::translate::ReferenceTerms { project: None, inputs: &[] };
        let set = |name: &str| Some(format!("<{name}>"));
        let translated = super::translate::translate(&text, &terms);
        if let Ok(translated) = translated && !translated.has_reference {
            let expanded = crate::config::reference::expand(&translated.text, &set);
            let expected = text.replace("${/}", std::path::MAIN_SEPARATOR_STR);
            proptest::prop_assert_eq!(expanded, Ok(expected));
        }
    }
}

mod files {
    use super::*;

    const TEXT: &str =
        r#"{ "mcpServers": { "time": { "command": "uvx", "env": { "API_KEY": "0123456789" } } } }"#;

    fn import_into(target: &Path) -> Option<std::path::PathBuf> {
        let current = std::fs::read_to_string(target).ok();
        let found = read(CLAUDE_DESKTOP, TEXT);
        let plan =
            plan(found, Path::new("x.json"), target, current.as_deref(), &BTreeMap::new()).expect("a plan");
        apply(&plan).expect("written")
    }

    #[cfg(unix)]
    fn mode(path: &Path) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).expect("is there").permissions().mode() & 0o777
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("new/toolgate.toml");
        assert_eq!(import_into(&target), None);
        assert_eq!(mode(&target), 0o600);
        let text = std::fs::read_to_string(&target).expect("written");
        assert_eq!(parse(&text, &target).expect("accepted").servers.len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn an_existing_file_is_backed_up_and_keeps_its_mode_and_its_link() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().join("dotfiles.toml");
        let target = folder.path().join("toolgate.toml");
        std::fs::write(&real, CURRENT).expect("written");
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("set");
        std::os::unix::fs::symlink(&real, &target).expect("linked");
        let backup = import_into(&target).expect("a backup");
        assert_eq!(backup.file_name().expect("a name"), "dotfiles.toml.bak");
        assert_eq!(std::fs::read_to_string(&backup).expect("kept"), CURRENT);
        assert_eq!((mode(&real), mode(&backup)), (0o640, 0o640));
        assert!(target.is_symlink());
        assert!(std::fs::read_to_string(&target).expect("written").contains("name = \"time\""));
        assert_eq!(import_into(&target), None, "nothing is left to add, so nothing is written");
    }
}
