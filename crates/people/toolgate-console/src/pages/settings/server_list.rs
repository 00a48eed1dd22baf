//! The servers, and where each can be changed.

use serde::Deserialize;
use serde_json::Value;

/// A server as the API tells of it.
#[derive(Clone, Deserialize)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) health: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) tools: u64,
    #[serde(default)]
    pub(super) instances: Vec<Instance>,
}

#[derive(Clone, Deserialize)]
pub(super) struct Instance {
    #[serde(default)]
    pub(super) url: Option<String>,
}

/// One line of the list.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) url: Option<String>,
    pub(super) place: Place,
    /// `None` if it is disabled, or this role may not see it.
    pub(super) known: Option<Known>,
}

/// The place where a server is configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In the settings, where it is changed here.
    Settings {
        enabled: bool,
    },
    File,
    /// It registered itself, and can be forgotten.
    Registered,
}

impl Place {
    fn of(source: &str) -> Self {
        match source {
            "settings" => Place::Settings { enabled: true },
            "registered" => Place::Registered,
            _ => Place::File,
        }
    }
}

/// All servers: those that are known, and those of the settings that are disabled.
pub(super) fn lines(known: Vec<Known>, settings: &[Value]) -> Vec<Line> {
    let written = |name: &str| settings.iter().find(|entry| entry["name"] == name);
    let mut lines: Vec<Line> = Vec::new();
    for one in known {
        let place = Place::of(&one.source);
        let of_settings = matches!(place, Place::Settings { .. }).then(|| written(&one.name)).flatten();
        let url = of_settings.and_then(|entry| entry["url"].as_str()).map(str::to_owned);
        let url = url.or_else(|| one.instances.iter().find_map(|instance| instance.url.clone()));
        lines.push(Line { name: one.name.clone(), url, place, known: Some(one) });
    }
    for entry in settings {
        let name = entry["name"].as_str().unwrap_or_default();
        if lines.iter().any(|line| line.name == name) {
            continue;
        }
        let place = Place::Settings { enabled: entry["enabled"] != false };
        let url = entry["url"].as_str().map(str::to_owned);
        lines.push(Line { name: name.to_owned(), url, place, known: None });
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn disabled_servers_are_listed_although_the_gateway_does_not_know_them() {
        let known = |name: &str, source: &str| {
            serde_json::from_value::<Known>(json!({ "name": name, "source": source, "health": "healthy",
                "instances": [{ "url": "http://seen" }] }))
            .expect("a server")
        };
        let settings = [
            json!({ "name": "web", "url": "http://web" }),
            json!({ "name": "old", "url": "http://old", "enabled": false }),
        ];
        let lines = lines(
            vec![known("files", "file"), known("web", "settings"), known("self", "registered")],
            &settings,
        );
        let told: Vec<(&str, Place, Option<&str>)> =
            lines.iter().map(|line| (line.name.as_str(), line.place, line.url.as_deref())).collect();
        assert_eq!(
            told,
            [
                ("files", Place::File, Some("http://seen")),
                ("web", Place::Settings { enabled: true }, Some("http://web")),
                ("self", Place::Registered, Some("http://seen")),
                ("old", Place::Settings { enabled: false }, Some("http://old")),
            ]
        );
    }
}
