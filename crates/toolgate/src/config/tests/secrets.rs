//! Secrets that are kept elsewhere.

use std::path::{Path, PathBuf};
use std::time::Duration;

use insta::assert_snapshot;
use toolgate_credentials::OutsideSource;

use super::super::{CredentialSource, OpenBaoBy};
use super::{accepted, refused};

const OF: &str = "[[secrets]]\nserver = \"github\"\nname = \"TOKEN\"\n";
const BAO: &str = "[openbao]\naddress = \"https://bao.example.com:8200/\"\n";

#[test]
fn a_secret_has_a_source_and_a_time() {
    let config = accepted(&format!("{OF}file = \"token\"\norigins = [\"https://a.example/x\", \"*\"]\n"));
    let secret = &config.secrets[0];
    assert_eq!((secret.server.as_str(), secret.name.as_str()), ("github", "TOKEN"));
    assert_eq!(secret.source, OutsideSource::File("/srv/gate/token".into()));
    assert_eq!(
        (secret.cache, &secret.origins[..]),
        (Duration::from_secs(300), &["https://a.example".into(), "*".into()][..])
    );
    let config =
        accepted(&format!("{OF}command = [\"/bin/x\", \"${{TOKEN}}\", \"a b\"]\ncache_seconds = 0\n"));
    let words = ["/bin/x", "s3cret", "a b"].map(str::to_owned).to_vec();
    assert_eq!(config.secrets[0].source, OutsideSource::Command(words));
    assert_eq!(config.secrets[0].cache, Duration::ZERO);
}

#[test]
fn openbao_is_reached_by_a_token_or_by_a_role() {
    let config = accepted(&format!("{OF}openbao = \"/team/github#token\"\n{BAO}token_env = \"BAO_TOKEN\"\n"));
    let source = OutsideSource::OpenBao { path: "team/github".into(), field: "token".into() };
    assert_eq!(config.secrets[0].source, source);
    let openbao = config.openbao.expect("it is there");
    assert_eq!(
        (openbao.address.as_str(), openbao.mount.as_str()),
        ("https://bao.example.com:8200", "secret")
    );
    assert_eq!(openbao.by, OpenBaoBy::Token(CredentialSource::Environment("BAO_TOKEN".into())));
    let config = accepted(&format!("{BAO}role_id = \"r\"\nsecret_id_file = \"id\"\nmount = \"/kv/\"\n"));
    let files: Vec<PathBuf> = config.secret_files().collect();
    assert_eq!(files, [Path::new("/srv/gate/id")], "servers do not see it");
    assert_eq!(config.openbao.expect("it is there").mount, "kv");
}

#[test]
fn what_is_no_source_is_refused() {
    for (text, expected) in [
        (OF.to_owned(), "has no source"),
        (format!("{OF}file = \"a\"\ncommand = [\"/b\"]\n"), "has 2 sources"),
        (format!("{OF}command = [\"b\"]\n"), "absolute path"),
        (format!("{OF}command = []\n"), "absolute path"),
        (format!("{OF}openbao = \"team/github\"\n"), "a path, `#` and a field"),
        (format!("{OF}openbao = \"a#b\"\n"), "there is no `[openbao]`"),
        (format!("{OF}file = \"a\"\norigins = [\"example.com\"]\n"), "scheme, host and port"),
        (format!("{OF}file = \"a\"\n{OF}file = \"b\"\n"), "two secrets of server"),
        (format!("{BAO}role_id = \"r\"\n"), "how the gateway is let in"),
        (format!("{BAO}token_env = \"a b\"\n"), "not the name of a variable"),
        ("[[secrets]]\nserver = \"a\"\nname = \"oauth\"\nfile = \"x\"\n".to_owned(), "cannot name a secret"),
        ("[[secrets]]\nserver = \"a:b\"\nname = \"A\"\nfile = \"x\"\n".to_owned(), "`server` in"),
    ] {
        let said = refused(&text);
        assert!(said.contains(expected) && said.contains("hint: "), "{text}: {said}");
    }
    assert_snapshot!(refused("[[secrets]]\nserver = \"a\"\nname = \"A\"\nurl = \"x\"\nfile = \"x\"\n"), @r#"
    toolgate.toml:4:1: unknown key `url` in secret "A"
    4 | url = "x"
      | ^^^
    expected: `server`, `name`, `file`, `command`, `openbao`, `cache_seconds` or `origins`
    hint: remove the key; `toolgate.example.toml` shows every key there is
    "#);
}
