//! A client, its server, and the site that they visit.

use std::time::{Duration, Instant};

use capability_testkit::{Client, server};
use serde_json::{Value, json};

use crate::site::Site;

pub(crate) struct Stage {
    pub(crate) client: Client,
    pub(crate) site: Site,
}

/// For browsers on a busy machine; limits themselves are tested where they are set.
const PATIENT: [(&str, &str); 3] =
    [("--action-seconds", "30"), ("--page-seconds", "60"), ("--timeout-seconds", "170")];

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_browser-mcp");

impl Stage {
    pub(crate) async fn open() -> Self {
        Self::with(&["--allow-private"]).await
    }

    pub(crate) async fn with(options: &[&str]) -> Self {
        let mut all = options.to_vec();
        for (name, value) in PATIENT {
            if !options.contains(&name) {
                all.extend([name, value]);
            }
        }
        Self { client: Client::start(server(PROGRAM, &all)).await, site: Site::open() }
    }

    /// The text of a call that succeeds.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> String {
        let result = self.client.call(tool, arguments.clone()).await;
        let text = text_of(&result);
        assert_ne!(result.is_error, Some(true), "{tool} {arguments}: {text}");
        text
    }

    /// The text of a call that fails with this code.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value, code: &str) -> String {
        let (said, text) = self.client.trouble(tool, arguments.clone()).await;
        assert_eq!(said, code, "{tool} {arguments}: {text}");
        assert!(text.contains("\nhint: "), "{tool} {arguments}: a refusal says what to do: {text}");
        text
    }

    pub(crate) async fn go(&self, path: &str) -> String {
        self.call("navigate", json!({ "url": self.site.url(path) })).await
    }

    /// The name of the tab that shows a page; it may just be opening.
    pub(crate) async fn tab_with(&self, path: &str) -> String {
        let began = Instant::now();
        loop {
            let tabs = self.call("tabs", json!({})).await;
            if let Some(line) = tabs.lines().find(|line| line.contains(path)) {
                return line.split(' ').next().unwrap().to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(10), "{tabs}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Calls as the gateway does for a session.
    pub(crate) async fn call_for(&self, session: &str, tool: &str, arguments: Value) -> String {
        let meta = json!({ "dev.toolgate/caller": { "session": session } });
        let result = self.client.call_with_meta(tool, arguments.clone(), meta).await;
        let text = text_of(&result);
        assert_ne!(result.is_error, Some(true), "{tool} {arguments}: {text}");
        text
    }

    /// A secret as a gateway expands it.
    pub(crate) fn secret(&self, value: &str) -> Value {
        json!({ "handle": "cred_1.password", "origin": self.site.origin(), "value": value })
    }
}

fn text_of(result: &impl serde::Serialize) -> String {
    let result = serde_json::to_value(result).unwrap();
    let blocks = result["content"].as_array().unwrap();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

/// The ref on the first line of a snapshot that has these words.
pub(crate) fn ref_of(snapshot: &str, words: &str) -> String {
    let line = snapshot.lines().find(|line| line.contains(words));
    let line = line.unwrap_or_else(|| panic!("no line has {words:?}:\n{snapshot}"));
    line.split(' ').find(|word| is_reference(word)).unwrap_or_else(|| panic!("no ref: {line}")).to_owned()
}

fn is_reference(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = word.split_once('e');
    parts.is_some_and(|(frame, number)| {
        is_number(number) && (frame.is_empty() || frame.strip_prefix('f').is_some_and(is_number))
    })
}
