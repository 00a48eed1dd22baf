//! The servers, and where each can be changed.

use serde::Deserialize;
use serde_json::Value;

/// A server as the API tells of it.
#[derive(Clone, Deserialize)]
pub(super) struct ListedServerData {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) health: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) tools: u64,
    #[serde(default)]
    pub(super) instances: Vec<ListedInstanceData>,
}

#[derive(Clone, Deserialize)]
pub(super) struct ListedInstanceData {
    #[serde(default)]
    pub(super) url: Option<String>,
}

/// One line of the list.
pub(super) struct ServerLine {
    pub(super) name: String,
    pub(super) url: Option<String>,
    pub(super) place: ConfiguredIn,
    /// `None` if it is disabled, or this role may not see it.
    pub(super) known: Option<ListedServerData>,
}

/// The place where a server is configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConfiguredIn {
    /// In the settings, where it is changed here.
    Settings {
        enabled: bool,
    },
    File,
    /// It registered itself, and can be forgotten.
    Registered,
}

impl ConfiguredIn {
    fn of(source: &str) -> Self {
        match source {
            "settings" => ConfiguredIn::Settings { enabled: true },
            "registered" => ConfiguredIn::Registered,
            _ => ConfiguredIn::File,
        }
    }
}

/// All servers: those that are known, and those of the settings that are disabled.
pub(super) fn lines(known: Vec<ListedServerData>, settings: &[Value]) -> Vec<ServerLine> {
    let written = |name: &str| settings.iter().find(|entry| entry["name"] == name);
    let mut lines: Vec<ServerLine> = Vec::new();
    for one in known {
        let place = ConfiguredIn::of(&one.source);
        let of_settings =
            matches!(place, ConfiguredIn::Settings { .. }).then(|| written(&one.name)).flatten();
        let url = of_settings.and_then(address);
        let url = url.or_else(|| one.instances.iter().find_map(|instance| instance.url.clone()));
        lines.push(ServerLine { name: one.name.clone(), url, place, known: Some(one) });
    }
    for entry in settings {
        let name = entry["name"].as_str().unwrap_or_default();
        if lines.iter().any(|line| line.name == name) {
            continue;
        }
        let place = ConfiguredIn::Settings { enabled: entry["enabled"] != false };
        let url = address(entry);
        lines.push(ServerLine { name: name.to_owned(), url, place, known: None });
    }
    lines
}

/// The address of a server, of an API, or of its document.
fn address(entry: &Value) -> Option<String> {
    let part = |key: &str| entry[key].as_str();
    part("url").or_else(|| part("base_url")).or_else(|| part("openapi")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn disabled_servers_are_listed_although_the_gateway_does_not_know_them() {
        let known = |name: &str, source: &str| {
            serde_json::from_value::<ListedServerData>(
                json!({ "name": name, "source": source, "health": "healthy",
                "instances": [{ "url": "http://seen" }] }),
            )
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
        let told: Vec<(&str, ConfiguredIn, Option<&str>)> =
            lines.iter().map(|line| (line.name.as_str(), line.place, line.url.as_deref())).collect();
        assert_eq!(
            told,
            [
                ("files", ConfiguredIn::File, Some("http://seen")),
                ("web", ConfiguredIn::Settings { enabled: true }, Some("http://web")),
                ("self", ConfiguredIn::Registered, Some("http://seen")),
                ("old", ConfiguredIn::Settings { enabled: false }, Some("http://old")),
            ]
        );
    }
}
