//! What to do about a server that is not healthy, from what is known about it.

use super::told::Server;

/// In the order in which to try. Nothing where all is well.
pub(super) fn of(server: &Server) -> Vec<&'static str> {
    if server.health == "healthy" {
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

/// What a reason that holds one of these words asks for.
const BY_REASON: [(&[&str], &str); 6] = [
    (
        &["no such file", "not found", "enoent"],
        "The program or a file that it needs is not there: check the command in the file, and that it is on the PATH of the gateway.",
    ),
    (
        &["permission denied"],
        "The gateway may not start or read it: check the rights of the user that the gateway runs as.",
    ),
    (
        &["401", "403", "unauthorized", "forbidden"],
        "It refuses the gateway: check the secret that is stored for it, under Settings, Secrets.",
    ),
    (
        &["refused", "dns", "resolve", "unreachable", "connect"],
        "Its address does not answer: try it from the machine that the gateway runs on.",
    ),
    (
        &["timed out", "timeout", "in time"],
        "It answers too slowly: look at its own load, or give it more time with timeout_seconds.",
    ),
    (&["certificate", "tls"], "Its certificate is not accepted: check the address and who signed it."),
];

fn by_source(source: &str, transport: Option<&str>) -> &'static [&'static str] {
    match (source, transport) {
        ("expected", _) => &[
            "It stands in the file without an address and waits for an instance to register, with a token of role server that bears its name.",
        ],
        ("registered", _) => &[
            "Its instances register themselves and renew their lease: look at their own log. One that stays away is left out by itself.",
        ],
        ("settings", _) => &["Its address stands in the settings and can be changed there at any time."],
        (_, Some("stdio")) => &[
            "The last lines that it wrote stand below. Running its command by hand shows the rest.",
            "The gateway starts it again by itself, with longer and longer pauses; a change of the file is taken up at once.",
        ],
        _ => &["Its entry in the file says how it is reached; a change of the file is taken up at once."],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server(value: serde_json::Value) -> Server {
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
    fn a_healthy_server_needs_no_advice() {
        assert!(of(&server(json!({"name": "a", "source": "file", "health": "healthy"}))).is_empty());
    }
}
