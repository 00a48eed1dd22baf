//! Advice about an unhealthy server, from the known data.

use super::data::ServerData;

/// In the order in which to try. Empty for a healthy server, and for one that somebody disabled.
pub(super) fn of(server: &ServerData) -> Vec<&'static str> {
    if server.health == "healthy" || server.is_disabled() {
        return Vec::new();
    }
    let reason = server.reason.as_deref().unwrap_or_default().to_ascii_lowercase();
    let mut advice: Vec<&'static str> = BY_REASON
        .iter()
        .filter(|(words, _)| words.iter().any(|word| reason.contains(word)))
        .map(|(_, what)| *what)
        .collect();
    advice.extend(by_source(&server.source, server.transport.as_deref()));
    advice
}

/// Words with which programs of many languages begin to say what went wrong.
const ERROR_WORDS: [&str; 8] =
    ["error", "exception", "traceback", "panicked", "fatal", "cannot ", "could not", "failed"];

/// The first line of its output that says what went wrong. Later ones often follow from it.
pub(super) fn first_error(stderr: &[String]) -> Option<&str> {
    let says = |line: &&String| {
        let lower = line.to_ascii_lowercase();
        ERROR_WORDS.iter().any(|word| lower.contains(word))
    };
    stderr.iter().find(says).map(String::as_str)
}

/// The advice for a reason with one of these words.
const BY_REASON: [(&[&str], &str); 6] = [
    (
        &["no such file", "not found", "enoent"],
        "The program, or a file that it needs, does not exist. Check the command in the configuration file, and that the program is on the gateway's PATH.",
    ),
    (
        &["permission denied"],
        "The gateway has no permission to start or read it. Check the rights of the user that the gateway runs as.",
    ),
    (
        &["401", "403", "unauthorized", "forbidden"],
        "It rejects the gateway's credentials. Check its secret under Settings, Secrets.",
    ),
    (
        &["refused", "dns", "resolve", "unreachable", "connect"],
        "Its address does not answer. Try the address from the gateway's machine.",
    ),
    (
        &["timed out", "timeout", "in time"],
        "It answers too slowly. Check its load, or raise timeout_seconds.",
    ),
    (
        &["certificate", "tls"],
        "Its certificate is not trusted. Check the address and the certificate's issuer.",
    ),
];

fn by_source(source: &str, transport: Option<&str>) -> &'static [&'static str] {
    match (source, transport) {
        ("expected", _) => &[
            "The configuration file names it without an address, so it waits for an instance to register. The instance needs a token with the role server and this server's name.",
        ],
        ("registered", _) => &[
            "Its instances register themselves and renew their lease. Check their logs. The gateway drops an instance that stops renewing.",
        ],
        ("settings", _) => &["Its address is in the settings; you can change it there at any time."],
        (_, Some("stdio")) => &[
            "Its last lines of output are below. Run its command by hand to see the rest.",
            "The gateway restarts it automatically, with growing pauses, and applies a change of the configuration file at once.",
        ],
        _ => &[
            "Its entry in the configuration file says how to reach it; the gateway applies a change of the file at once.",
        ],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server(value: serde_json::Value) -> ServerData {
        serde_json::from_value(value).expect("a server")
    }

    #[test]
    fn what_helps_follows_from_the_reason_and_from_where_it_stands() {
        let away = server(
            json!({"name": "a", "source": "settings", "health": "degraded", "reason": "Connection refused (os error 111)"}),
        );
        let advice = of(&away);
        assert!(advice[0].contains("does not answer") && advice[1].contains("settings"), "{advice:?}");
        let gone = server(
            json!({"name": "a", "source": "file", "transport": "stdio", "health": "starting", "reason": "No such file or directory"}),
        );
        assert!(of(&gone)[0].contains("command") && of(&gone).len() == 3);
    }

    #[test]
    fn the_first_line_that_says_what_went_wrong_is_found() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let python =
            lines("starting\nTraceback (most recent call last):\n  File \"a.py\"\nKeyError: 'TOKEN'");
        assert_eq!(first_error(&python), Some("Traceback (most recent call last):"));
        assert_eq!(
            first_error(&lines("npm ERR! Error: no such package\nerror again")),
            Some("npm ERR! Error: no such package")
        );
        assert_eq!(first_error(&lines("ready\nlistening")), None);
    }

    #[test]
    fn a_healthy_or_disabled_server_needs_no_advice() {
        for health in ["healthy", "disabled"] {
            let one = json!({"name": "a", "source": "file", "health": health, "reason": "an audit"});
            assert!(of(&server(one)).is_empty(), "{health}");
        }
    }
}
