//! The entry of each client, and files it is merged into.

use std::path::Path;

use insta::assert_snapshot;

use super::*;

fn gate() -> GatewayAccess<'static> {
    GatewayAccess {
        url: "http://127.0.0.1:8700/mcp",
        token: "tg_agent_abc",
        program: Path::new("/usr/bin/toolgate"),
        data: Path::new("/srv/gate/data"),
        config: None,
        agent: None,
    }
}

fn merged_into(current: &str, client: ClientProgram) -> String {
    merged(current, client, &gate(), Path::new("/x.json")).unwrap_or_else(|error| panic!("{error}"))
}

fn write(path: &Path, client: ClientProgram, gate: &GatewayAccess<'_>) -> Result<WriteOutcome, ConnectError> {
    ClientFile::read(path.to_owned(), client)?.write(gate)
}

fn refused(current: &str, client: ClientProgram) -> String {
    merged(current, client, &gate(), Path::new("/x.json")).expect_err("the text is wrong").to_string()
}

#[test]
fn claude_desktop_starts_a_process() {
    assert_snapshot!(render(ClientProgram::ClaudeDesktop, &gate()), @r#"
    {
      "mcpServers": {
        "toolgate": {
          "command": "/usr/bin/toolgate",
          "args": ["stdio", "--data", "/srv/gate/data"]
        }
      }
    }
    "#);
}

#[test]
fn claude_desktop_is_told_of_the_configuration() {
    let gate = GatewayAccess { config: Some(Path::new("/etc/to ol.toml")), ..gate() };
    assert_snapshot!(render(ClientProgram::ClaudeDesktop, &gate), @r#"
    {
      "mcpServers": {
        "toolgate": {
          "command": "/usr/bin/toolgate",
          "args": ["stdio", "--data", "/srv/gate/data", "--config", "/etc/to ol.toml"]
        }
      }
    }
    "#);
}

#[test]
fn claude_desktop_is_told_which_agent_it_is() {
    let agent = AgentName::new("writer").expect("a name");
    let text = render(ClientProgram::ClaudeDesktop, &GatewayAccess { agent: Some(&agent), ..gate() });
    assert!(text.contains(r#"["stdio", "--data", "/srv/gate/data", "--agent", "writer"]"#), "{text}");
}

#[test]
fn claude_code() {
    assert_snapshot!(render(ClientProgram::ClaudeCode, &gate()), @r#"
    {
      "mcpServers": {
        "toolgate": {
          "type": "http",
          "url": "http://127.0.0.1:8700/mcp",
          "headers": {
            "Authorization": "Bearer tg_agent_abc"
          }
        }
      }
    }
    "#);
}

#[test]
fn cursor() {
    assert_snapshot!(render(ClientProgram::Cursor, &gate()), @r#"
    {
      "mcpServers": {
        "toolgate": {
          "url": "http://127.0.0.1:8700/mcp",
          "headers": {
            "Authorization": "Bearer tg_agent_abc"
          }
        }
      }
    }
    "#);
}

#[test]
fn vs_code() {
    assert_snapshot!(render(ClientProgram::VsCode, &gate()), @r#"
    {
      "servers": {
        "toolgate": {
          "type": "http",
          "url": "http://127.0.0.1:8700/mcp",
          "headers": {
            "Authorization": "Bearer tg_agent_abc"
          }
        }
      }
    }
    "#);
}

#[test]
fn generic() {
    assert_snapshot!(render(ClientProgram::Generic, &gate()), @r#"
    {
      "mcpServers": {
        "toolgate": {
          "type": "http",
          "url": "http://127.0.0.1:8700/mcp",
          "headers": {
            "Authorization": "Bearer tg_agent_abc"
          }
        }
      }
    }
    "#);
}

#[test]
fn every_entry_is_plain_json() {
    for client in ClientProgram::ALL {
        let value: serde_json::Value = serde_json::from_str(&render(client, &gate())).expect("JSON");
        assert!(value[client.section()][ENTRY].is_object(), "{client:?}");
    }
}

#[test]
fn names_and_aliases_are_understood() {
    for client in ClientProgram::ALL {
        for name in client.names() {
            assert_eq!(ClientProgram::parse(name).expect("known"), client);
        }
    }
    assert_eq!(ClientProgram::parse("Claude Code").expect("known"), ClientProgram::ClaudeCode);
    assert_eq!(ClientProgram::parse("VS_Code").expect("known"), ClientProgram::VsCode);
}

#[test]
fn an_unknown_client() {
    assert_snapshot!(ClientProgram::parse("curser").expect_err("unknown"), @r#"
    no client is called "curser"
    expected: claude-desktop, claude-code, cursor, vscode, generic
    hint: did you mean `cursor`?
    "#);
}

#[test]
fn a_client_nobody_knows() {
    assert_snapshot!(ClientProgram::parse("zed").expect_err("unknown"), @r#"
    no client is called "zed"
    expected: claude-desktop, claude-code, cursor, vscode, generic
    hint: `generic` fits every client that reads `mcpServers`
    "#);
}

#[test]
fn everything_else_in_the_file_is_kept() {
    let current = r#"{
	// my servers
	"theme": "dark", /* here */
	"mcpServers": {
		"git": { "command": "uvx", "args": [ "mcp-server-git", 1.50 ] }, // mine
	},
	"last": "\u00e9"
}
"#;
    assert_snapshot!(merged_into(current, ClientProgram::Cursor), @r#"
    {
    	// my servers
    	"theme": "dark", /* here */
    	"mcpServers": {
    		"git": { "command": "uvx", "args": [ "mcp-server-git", 1.50 ] }, // mine
    		"toolgate": {
    			"url": "http://127.0.0.1:8700/mcp",
    			"headers": {
    				"Authorization": "Bearer tg_agent_abc",
    			},
    		},
    	},
    	"last": "\u00e9"
    }
    "#);
}

#[test]
fn a_file_on_one_line() {
    assert_snapshot!(merged_into(r#"{"mcpServers":{"a":{"command":"x"}},"b":1}"#, ClientProgram::ClaudeCode), @r#"
    {"mcpServers":{
        "a":{"command":"x"},
        "toolgate": {
          "type": "http",
          "url": "http://127.0.0.1:8700/mcp",
          "headers": {
            "Authorization": "Bearer tg_agent_abc"
          }
        }
      },"b":1}
    "#);
}

#[test]
fn a_file_without_servers() {
    assert_snapshot!(merged_into("{\n    \"inputs\": []\n}", ClientProgram::VsCode), @r#"
    {
        "inputs": [],
        "servers": {
            "toolgate": {
                "type": "http",
                "url": "http://127.0.0.1:8700/mcp",
                "headers": {
                    "Authorization": "Bearer tg_agent_abc"
                }
            }
        }
    }
    "#);
}

#[test]
fn an_older_entry_is_replaced() {
    let current = merged_into("{}", ClientProgram::ClaudeCode).replace("tg_agent_abc", "tg_agent_old");
    assert_eq!(
        merged_into(&current, ClientProgram::ClaudeCode),
        merged_into("{}", ClientProgram::ClaudeCode)
    );
}

#[test]
fn an_entry_that_says_the_same_is_left_as_it_is() {
    let current = r#"{ "mcpServers": { "toolgate": {
        "headers": {"Authorization": "Bearer tg_agent_abc"}, // mine
        "url": "http://127.0.0.1:8700/mcp" } } }
"#;
    assert_eq!(merged_into(current, ClientProgram::Cursor), current);
}

#[test]
fn a_file_that_is_not_json() {
    assert_snapshot!(refused("{\n  \"mcpServers\": {\n    oops\n", ClientProgram::Cursor), @r#"
    /x.json:3:5: this is not JSON: Expected string for object property
    hint: the file was not changed; repair it, or paste the entry by hand
    "#);
}

#[test]
fn a_file_that_is_not_an_object() {
    assert_snapshot!(refused("[]", ClientProgram::Cursor), @r#"
    /x.json: the file is not an object
    hint: the file was not changed; repair it, or paste the entry by hand
    "#);
}

#[test]
fn servers_that_are_not_an_object() {
    assert_snapshot!(refused("{ \"servers\": [] }", ClientProgram::VsCode), @r#"
    /x.json: `servers` is not an object
    hint: the file was not changed; repair it, or paste the entry by hand
    "#);
}

#[test]
fn each_client_has_its_place() {
    let linux = ClientPlaces {
        os: Os::Linux,
        home: Path::new("/home/ann"),
        settings: None,
        cwd: Path::new("/src/app"),
    };
    let xdg = ClientPlaces { settings: Some(Path::new("/xdg")), ..linux };
    let mac = ClientPlaces { os: Os::Mac, home: Path::new("/Users/ann"), ..xdg };
    let windows = ClientPlaces { os: Os::Windows, home: Path::new("C:/Users/ann"), ..linux };
    let roaming = ClientPlaces { settings: Some(Path::new("D:/Roaming")), ..windows };
    let mut table = String::new();
    for (name, machine) in
        [("linux", linux), ("xdg", xdg), ("mac", mac), ("windows", windows), ("roaming", roaming)]
    {
        for client in ClientProgram::ALL {
            let path = client.config_path(&machine);
            let path = path.map_or("-".into(), |path| path.to_string_lossy().replace('\\', "/"));
            table += &format!("{name} {}: {path}\n", client.name());
        }
    }
    assert_snapshot!(table, @r#"
    linux claude-desktop: /home/ann/.config/Claude/claude_desktop_config.json
    linux claude-code: /src/app/.mcp.json
    linux cursor: /home/ann/.cursor/mcp.json
    linux vscode: /src/app/.vscode/mcp.json
    linux generic: -
    xdg claude-desktop: /xdg/Claude/claude_desktop_config.json
    xdg claude-code: /src/app/.mcp.json
    xdg cursor: /home/ann/.cursor/mcp.json
    xdg vscode: /src/app/.vscode/mcp.json
    xdg generic: -
    mac claude-desktop: /Users/ann/Library/Application Support/Claude/claude_desktop_config.json
    mac claude-code: /src/app/.mcp.json
    mac cursor: /Users/ann/.cursor/mcp.json
    mac vscode: /src/app/.vscode/mcp.json
    mac generic: -
    windows claude-desktop: C:/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json
    windows claude-code: /src/app/.mcp.json
    windows cursor: C:/Users/ann/.cursor/mcp.json
    windows vscode: /src/app/.vscode/mcp.json
    windows generic: -
    roaming claude-desktop: D:/Roaming/Claude/claude_desktop_config.json
    roaming claude-code: /src/app/.mcp.json
    roaming cursor: C:/Users/ann/.cursor/mcp.json
    roaming vscode: /src/app/.vscode/mcp.json
    roaming generic: -
    "#);
}

mod files {
    use super::*;

    #[test]
    fn a_backup_is_kept_of_every_state() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/.cursor/mcp.json");
        let written = write(&path, ClientProgram::Cursor, &gate()).expect("written");
        assert_eq!(written, WriteOutcome::Changed { backup: None });
        assert_eq!(write(&path, ClientProgram::Cursor, &gate()).expect("written"), WriteOutcome::Unchanged);

        let other = GatewayAccess { token: "tg_agent_other", ..gate() };
        for expected in ["mcp.json.bak", "mcp.json.bak.1"] {
            let before = std::fs::read_to_string(&path).expect("is there");
            let next = if before.contains("other") { gate() } else { other };
            let WriteOutcome::Changed { backup: Some(backup) } =
                write(&path, ClientProgram::Cursor, &next).expect("written")
            else {
                panic!("the token changed");
            };
            assert_eq!(backup.file_name().expect("a name"), expected);
            assert_eq!(std::fs::read_to_string(&backup).expect("kept"), before);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".mcp.json");
        write(&path, ClientProgram::ClaudeCode, &gate()).expect("written");
        assert_eq!(std::fs::metadata(&path).expect("is there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_cannot_be_parsed_is_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mcp.json");
        std::fs::write(&path, "{ oops").expect("written");
        write(&path, ClientProgram::Cursor, &gate()).expect_err("not JSON");
        assert_eq!(std::fs::read_to_string(&path).expect("is there"), "{ oops");
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
}
