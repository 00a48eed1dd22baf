#![doc = include_str!("../README.md")]

mod archive;
mod choices;
#[cfg(feature = "house")]
mod door;
#[cfg(feature = "house")]
mod files;
#[cfg(feature = "house")]
mod house;
mod json;
mod manifest;
mod message;
mod policy;
mod schema;
mod sse;

use std::fs;
use std::path::Path;

/// A reader of the gateway for foreign input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum GatewayTarget {
    /// Exported manifests, which strangers may have made
    Archive,
    /// The scanner and the editor of JSON, against serde_json
    Json,
    /// Nodes of manifest trees, against the trees that are built of what they say
    Manifest,
    /// JSON-RPC messages, headers and `_meta` of both eras
    Message,
    /// Server-sent events and lines, in any split
    Sse,
    /// Schemas of tools and values to check
    Schema,
    /// Policy decisions and visibility, against Cedar
    Policy,
    /// Requests over HTTP in both eras, and their answers
    #[cfg(feature = "house")]
    Door,
    /// Files in arguments and results, and uploaded files
    #[cfg(feature = "house")]
    Files,
}

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus");

/// Words of JSON, MCP, schemas and events that readers stumble over.
const WORDS: [&[u8]; 36] = [
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"1e999",
    b"-0",
    b"[[[[[[[[[[[[[[[[",
    b"\r",
    b"\n\n",
    b"data:",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\"_meta\":{}",
    b"\"jsonrpc\":\"2.0\"",
    b"=?base64?",
    b"{\"$ref\":\"#\"}",
    b"\"anyOf\":[{}]",
    b"\"pattern\":\"^(a+)+$\"",
    b"\0",
    b"\xf0\x9f\x98\x80",
    b"\\u005f",
    b"\"file_id\":\"file_1\"",
    b"\"source_ref_id\":\"ref_1\"",
    b"{\"type\":\"image\",\"data\":\"AAAA\"}",
    b"data:image/png;base64,",
    b"\"resultType\":\"input_required\"",
    b"mcp-session-id: {2025-11-25}\n",
    b"\n---\n",
];

impl GatewayTarget {
    fn folder(self) -> &'static str {
        match self {
            GatewayTarget::Archive => "archive",
            GatewayTarget::Json => "json",
            GatewayTarget::Manifest => "manifest",
            GatewayTarget::Message => "message",
            GatewayTarget::Sse => "sse",
            GatewayTarget::Schema => "schema",
            GatewayTarget::Policy => "policy",
            #[cfg(feature = "house")]
            GatewayTarget::Door => "door",
            #[cfg(feature = "house")]
            GatewayTarget::Files => "files",
        }
    }
}

impl damage::FuzzTarget for GatewayTarget {
    /// The corpus of the repository, in the order of its names.
    fn seeds(self) -> Vec<Vec<u8>> {
        let folder = Path::new(CORPUS).join(self.folder());
        let entries = fs::read_dir(&folder).expect("every target has a corpus");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
        paths.sort();
        paths.iter().map(|path| fs::read(path).expect("a readable file")).collect()
    }

    fn words(self) -> &'static [&'static [u8]] {
        &WORDS
    }

    fn try_one(self, input: &[u8]) {
        match self {
            GatewayTarget::Archive => archive::try_one(input),
            GatewayTarget::Json => json::try_one(input),
            GatewayTarget::Manifest => manifest::try_one(input),
            GatewayTarget::Message => message::try_one(input),
            GatewayTarget::Sse => sse::try_one(input),
            GatewayTarget::Schema => schema::try_one(input),
            GatewayTarget::Policy => policy::try_one(input),
            #[cfg(feature = "house")]
            GatewayTarget::Door => door::try_one(input),
            #[cfg(feature = "house")]
            GatewayTarget::Files => files::try_one(input),
        }
    }
}
