//! Sources that answer, that do not, and whose answers change.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use toolgate_testkit::openbao::StandIn;

use super::*;
use crate::fixture::server;

fn secret(source: OutsideSource, cache: Duration) -> OutsideSecret {
    OutsideSecret { server: server("mail"), name: "TOKEN".into(), source, cache, origins: Vec::new() }
}

fn outside(source: OutsideSource, cache: Duration) -> ExternalSecrets {
    ExternalSecrets::new(vec![secret(source, cache)], None)
}

async fn get(outside: &ExternalSecrets) -> Result<String, String> {
    let got = outside.get(&server("mail"), "TOKEN").await;
    got.map(|value| value.expose().to_owned()).map_err(|why| why.to_string())
}

const LONG: Duration = Duration::from_secs(3600);

fn shell(script: &str) -> OutsideSource {
    OutsideSource::Command(vec!["/bin/sh".into(), "-c".into(), script.into()])
}

#[tokio::test]
async fn a_file_is_read_once_until_its_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    fs::write(&path, "first\n").unwrap();
    let kept = outside(OutsideSource::File(path.clone()), LONG);
    let fleeting = outside(OutsideSource::File(path.clone()), Duration::ZERO);
    assert_eq!((get(&kept).await, get(&fleeting).await), (Ok("first".into()), Ok("first".into())));
    fs::write(&path, "second").unwrap();
    assert_eq!((get(&kept).await, get(&fleeting).await), (Ok("first".into()), Ok("second".into())));
    assert_eq!((kept.generation(), fleeting.generation()), (0, 1));
    let other = ExternalSecrets::new(Vec::new(), None);
    assert!(!other.has(&server("mail"), "TOKEN") && kept.has(&server("mail"), "TOKEN"));
    assert!(!kept.has(&server("files"), "TOKEN"));
}

#[tokio::test]
async fn a_value_that_a_server_refuses_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    fs::write(&path, "old").unwrap();
    let outside = outside(OutsideSource::File(path.clone()), LONG);
    assert_eq!(get(&outside).await, Ok("old".into()));
    tokio::time::sleep(AFTER_REFUSAL).await;
    assert!(!outside.refused(&server("mail")).await, "it is the same");
    fs::write(&path, "new").unwrap();
    tokio::time::sleep(AFTER_REFUSAL).await;
    assert!(!outside.refused(&server("files")).await, "that is another server");
    assert!(outside.refused(&server("mail")).await);
    assert_eq!((get(&outside).await, outside.generation()), (Ok("new".into()), 1));
}

#[tokio::test]
async fn what_cannot_be_read_is_told_without_saying_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nowhere");
    let why = get(&outside(OutsideSource::File(path.clone()), LONG)).await.unwrap_err();
    assert!(why.contains("\"TOKEN\" of \"mail\"") && why.contains("toolgate doctor"), "{why}");
    assert!(!why.contains("nowhere"), "{why}");
    for (bytes, expected) in [
        (&b""[..], "empty"),
        (&b"\n"[..], "empty"),
        (&b"a\nb\n"[..], "one line"),
        (&b"a\0b"[..], "one line"),
        (&b"\xff\xfe"[..], "one line"),
        (&[b'x'; VALUE_BYTES_MAX + 4][..], "longer"),
    ] {
        fs::write(&path, bytes).unwrap();
        let why = get(&outside(OutsideSource::File(path.clone()), LONG)).await.unwrap_err();
        assert!(why.contains(expected), "{why}");
    }
    fs::write(&path, [&[b'x'; VALUE_BYTES_MAX][..], b"\r\n"].concat()).unwrap();
    assert_eq!(
        get(&outside(OutsideSource::File(path), LONG)).await.map(|text| text.len()),
        Ok(VALUE_BYTES_MAX)
    );
}

#[tokio::test]
async fn a_command_runs_without_a_shell_and_its_words_stay_words() {
    let words = ["/bin/echo", "$HOME;id", "*"].map(str::to_owned).to_vec();
    assert_eq!(get(&outside(OutsideSource::Command(words), LONG)).await, Ok("$HOME;id *".into()));
}

#[tokio::test]
async fn a_command_that_fails_is_told_without_what_it_said() {
    for (script, expected) in [
        ("echo hunter2; echo hunter2 >&2; exit 3", "exit status: 3"),
        ("head -c 100000 /dev/zero | tr '\\0' x", "longer"),
        ("true", "empty"),
    ] {
        let why = get(&outside(shell(script), LONG)).await.unwrap_err();
        assert!(why.contains(expected) && !why.contains("hunter2"), "{why}");
    }
    let nothing = OutsideSource::Command(vec!["/no/such/program".into(), "hunter2".into()]);
    let why = get(&outside(nothing, LONG)).await.unwrap_err();
    assert!(why.contains("cannot be started") && !why.contains("hunter2"), "{why}");
}

#[tokio::test]
async fn a_command_that_is_given_up_is_ended_with_all_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("sleep 600 & echo $! > {0}/id; mv {0}/id {0}/pid; wait", folder.path().display());
    let trying = tokio::spawn({
        let outside = outside(shell(&script), LONG);
        async move { get(&outside).await }
    });
    while !folder.path().join("pid").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let pid: i32 = fs::read_to_string(folder.path().join("pid")).unwrap().trim().parse().unwrap();
    trying.abort();
    trying.await.expect_err("it was given up, as it is when its time is over");
    let is_alive = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while is_alive() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_source_that_failed_is_asked_again_and_its_value_counts_as_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let outside = outside(OutsideSource::File(path.clone()), Duration::from_millis(1));
    get(&outside).await.unwrap_err();
    fs::write(&path, "there").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    get(&outside).await.expect_err("it is left alone for a moment");
    let following = outside.clone();
    let task = tokio::spawn(async move { following.follow().await });
    while outside.generation() == 0 {
        tokio::time::sleep(LOOK).await;
    }
    assert_eq!(get(&outside).await, Ok("there".into()));
    fs::remove_file(&path).unwrap();
    while outside.generation() == 1 {
        tokio::time::sleep(LOOK).await;
    }
    get(&outside).await.expect_err("its time is over");
    task.abort();
}

fn openbao(stand_in: &StandIn, login: OpenBaoLogin) -> ExternalSecrets {
    let source = OutsideSource::OpenBao { path: "team/mail".into(), field: "token".into() };
    let settings = OpenBaoSettings {
        address: stand_in.address.clone(),
        mount: "secret".into(),
        namespace: Some("ns1".into()),
        login,
        egress: Arc::default(),
    };
    ExternalSecrets::new(vec![secret(source, Duration::ZERO)], Some(settings))
}

fn by_role(secret_id: &str) -> OpenBaoLogin {
    OpenBaoLogin::AppRole {
        role_id: "gateway".into(),
        secret_id: OpenBaoCredential::Value(Secret::new(secret_id)),
    }
}

#[tokio::test]
async fn openbao_gives_a_field_for_a_token() {
    let stand_in = StandIn::start();
    stand_in.put("team/mail", "token", "from the bao");
    let token = OpenBaoLogin::Token(OpenBaoCredential::Value(Secret::new(StandIn::ROOT)));
    assert_eq!(get(&openbao(&stand_in, token)).await, Ok("from the bao".into()));
    assert_eq!(stand_in.namespaces(), ["ns1"]);
    let wrong = OpenBaoLogin::Token(OpenBaoCredential::Value(Secret::new("wrong")));
    let why = get(&openbao(&stand_in, wrong)).await.unwrap_err();
    assert!(why.contains("does not let the gateway read"), "{why}");
}

#[tokio::test]
async fn openbao_is_logged_in_to_once_and_again_when_the_login_ends() {
    let stand_in = StandIn::start();
    stand_in.put("team/mail", "token", "one");
    let outside = openbao(&stand_in, by_role(StandIn::SECRET_ID));
    assert_eq!(get(&outside).await, Ok("one".into()));
    stand_in.put("team/mail", "token", "two");
    assert_eq!(get(&outside).await, Ok("two".into()));
    assert_eq!(stand_in.logins(), 1);
    stand_in.revoke_all();
    assert_eq!(get(&outside).await, Ok("two".into()));
    assert_eq!(stand_in.logins(), 2);
    let why = get(&openbao(&stand_in, by_role("wrong"))).await.unwrap_err();
    assert!(why.contains("did not let the gateway log in") && !why.contains("wrong"), "{why}");
}

#[tokio::test]
async fn openbao_without_the_secret_or_the_field_is_told() {
    let stand_in = StandIn::start();
    let outside = openbao(&stand_in, by_role(StandIn::SECRET_ID));
    assert!(get(&outside).await.unwrap_err().contains("no such secret"));
    stand_in.put("team/mail", "other", "x");
    let outside = openbao(&stand_in, by_role(StandIn::SECRET_ID));
    assert!(get(&outside).await.unwrap_err().contains("no such field"));
    let away = OpenBaoSettings {
        address: "http://127.0.0.1:9".into(),
        mount: "secret".into(),
        namespace: None,
        login: by_role("x"),
        egress: Arc::default(),
    };
    let source = OutsideSource::OpenBao { path: "a".into(), field: "b".into() };
    let why = get(&ExternalSecrets::new(vec![secret(source, LONG)], Some(away))).await.unwrap_err();
    assert!(why.contains("openbao"), "{why}");
}
