//! The output before anything is served.

use super::drive::command;

async fn output(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(arguments).output().await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn help_is_in_the_servers_words_and_has_all_options() {
    let (code, help, _) = output(&["--help"]).await;
    assert_eq!(code, Some(0));
    for words in [
        "Misbehaves on demand.",
        "echo, measure,",
        "--greeting",
        "--http",
        "--gateway",
        "CAPABILITY_WORKERS",
        "Limits:",
    ] {
        assert!(help.contains(words), "{words}: {help}");
    }
}

#[tokio::test]
async fn the_version_is_the_servers() {
    let (code, version, _) = output(&["--version"]).await;
    assert_eq!((code, version.as_str()), (Some(0), concat!("sample-mcp ", env!("CARGO_PKG_VERSION"), "\n")));
}

#[tokio::test]
async fn contradictions_are_refused_with_a_hint() {
    let (code, _, error) = output(&["--gateway", "http://127.0.0.1:1"]).await;
    assert_eq!(code, Some(2));
    assert!(error.starts_with("error: --gateway needs --http") && error.contains("\nhint: "), "{error}");
    let (code, _, error) = output(&["--log", "a=b=c"]).await;
    assert!(code == Some(2) && error.contains("is not a valid filter"), "{error}");
}

#[tokio::test]
async fn a_port_that_is_taken_is_said() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, _, error) = output(&["--http", &address]).await;
    assert_eq!(code, Some(1));
    assert!(error.contains("cannot listen on") && error.contains("hint: "), "{error}");
}
