//! Style sheet, script and icon. They are part of the program; their addresses change when they do, so browsers keep them.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use toolgate_core::Digest;

struct Asset {
    name: &'static str,
    media_type: &'static str,
    text: &'static str,
}

static ASSETS: [Asset; 4] = [
    Asset {
        name: "console.css",
        media_type: "text/css; charset=utf-8",
        text: include_str!("../assets/console.css"),
    },
    Asset {
        name: "console.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/console.js"),
    },
    Asset {
        name: "theme.js",
        media_type: "text/javascript; charset=utf-8",
        text: include_str!("../assets/theme.js"),
    },
    Asset { name: "icon.svg", media_type: "image/svg+xml", text: include_str!("../assets/icon.svg") },
];

const HASH_CHARS: usize = 12;
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

static ADDRESSES: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(|| {
    ASSETS
        .iter()
        .map(|asset| (asset.name, format!("/console/assets/{}/{}", hash(asset.text), asset.name)))
        .collect()
});

fn hash(text: &str) -> String {
    let digest = Digest::of(text.as_bytes()).to_string();
    digest.trim_start_matches("sha256:").chars().take(HASH_CHARS).collect()
}

/// The address of an asset for a page.
pub(crate) fn address(name: &str) -> &'static str {
    let found = ADDRESSES.iter().find(|(one, _)| *one == name);
    found.map(|(_, address)| address.as_str()).expect("pages name assets that there are")
}

pub(crate) async fn show(Path((_, name)): Path<(String, String)>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => {
            ([(CONTENT_TYPE, asset.media_type), (CACHE_CONTROL, FOR_GOOD)], asset.text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
