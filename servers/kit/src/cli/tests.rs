//! The command line, and its meaning.

use super::*;
use crate::run::NoOptions;

fn said(arguments: &[&str]) -> Result<KitSettings, Contradiction> {
    let line = CommandLine::<NoOptions>::try_parse_from(std::iter::once(&"server").chain(arguments));
    line.unwrap_or_else(|error| panic!("{error}")).kit.resolve()
}

fn refusal(arguments: &[&str]) -> String {
    said(arguments).err().expect("it is refused").to_string()
}

fn place(arguments: &[&str]) -> HttpSettings {
    match said(arguments).map(|settings| settings.transport) {
        Ok(Transport::Http(place)) => *place,
        _ => panic!("{arguments:?} does not mean HTTP"),
    }
}

const AT: [&str; 2] = ["--gateway", "http://127.0.0.1:8700"];

#[test]
fn nothing_means_stdio() {
    let settings = said(&[]).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert!(matches!(settings.transport, Transport::Stdio));
    assert_eq!((settings.limits.memory_mib(), settings.limits.input_mib()), (2048, 64));
    assert!(settings.limits.workers >= 1);
}

#[test]
fn what_contradicts_itself_is_refused_with_a_hint() {
    for (arguments, what) in [
        (vec!["--gateway", "http://127.0.0.1:8700"], "--gateway needs --http"),
        (vec!["--public-url", "http://a/mcp"], "--public-url needs --http"),
        (vec!["--http-token", "t"], "--http-token needs --http"),
        ([&["--http", "127.0.0.1:0"][..], &AT].concat(), "--gateway needs a token"),
        (
            [&["--http", "0.0.0.0:0", "--token", "t"][..], &AT].concat(),
            "cannot tell the gateway which one to use",
        ),
        (vec!["--http", "127.0.0.1:0", "--public-url", "ftp://a"], "--public-url is not"),
        (vec!["--http", "127.0.0.1:0", "--token", "t", "--gateway", "ws://a"], "--gateway is not"),
    ] {
        let refusal = refusal(&arguments);
        assert!(refusal.contains(what) && refusal.contains("\nhint: "), "{refusal}");
    }
}

#[test]
fn what_is_left_out_at_a_gateway_is_made_up() {
    let place = place(&[&["--http", "127.0.0.1:0", "--token-file", "/a/b"][..], &AT].concat());
    let gateway = place.gateway.expect("it is meant");
    assert_eq!((gateway.instance.len(), gateway.lease), (12, Duration::from_secs(30)));
    assert!(matches!(gateway.token, TokenSource::File(path) if path == std::path::Path::new("/a/b")));
}

#[test]
fn a_public_url_without_a_path_means_mcp() {
    let url = |said| place(&["--http", "0.0.0.0:0", "--public-url", said]).public_url.map(String::from);
    assert_eq!(url("http://a:1").as_deref(), Some("http://a:1/mcp"));
    assert_eq!(url("https://a/b").as_deref(), Some("https://a/b"));
}

#[test]
fn numbers_and_names_out_of_bounds_are_refused() {
    for arguments in [
        ["--timeout-seconds", "0"],
        ["--timeout-seconds", "soon"],
        ["--refs-minutes", "inf"],
        ["--workers", "0"],
        ["--memory-mib", "1"],
        ["--instance", "a/b"],
        ["--instance", ".."],
        ["--lease-seconds", "1"],
        ["--http", "localhost"],
    ] {
        let line = CommandLine::<NoOptions>::try_parse_from(std::iter::once("server").chain(arguments));
        assert!(line.is_err(), "{arguments:?}");
    }
}

#[test]
fn a_token_is_wanted_wherever_others_get() {
    let entry = |arguments: &[&str]| place(arguments).entry;
    assert!(matches!(entry(&["--http", "127.0.0.1:0"]), CallerEntry::Anyone));
    assert!(matches!(entry(&["--http", "[::1]:0"]), CallerEntry::Anyone));
    assert!(matches!(entry(&["--http", "0.0.0.0:0"]), CallerEntry::NewToken));
    assert!(matches!(entry(&["--http", "10.0.0.7:4000"]), CallerEntry::NewToken));
    assert!(matches!(
        entry(&["--http", "127.0.0.1:0", "--http-token", "t"]),
        CallerEntry::Token(TokenSource::Given(_))
    ));
    let file = ["--http", "0.0.0.0:0", "--http-token-file", "/a"];
    assert!(matches!(entry(&file), CallerEntry::Token(TokenSource::File(_))));
}
