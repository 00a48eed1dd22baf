//! The wire formats of providers, by name, path and header.

use http::HeaderMap;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WireFormat {
    /// `/v1/chat/completions`
    Chat,
    /// `/v1/responses`
    Responses,
    /// `/v1/messages`
    Anthropic,
    /// `/v1beta/models/{model}:streamGenerateContent`
    Gemini,
    /// `/api/chat`
    Ollama,
}

impl WireFormat {
    pub const ALL: [WireFormat; 5] = [
        WireFormat::Chat,
        WireFormat::Responses,
        WireFormat::Anthropic,
        WireFormat::Gemini,
        WireFormat::Ollama,
    ];

    /// The gateway's name of the format.
    pub fn provider(self) -> &'static str {
        match self {
            WireFormat::Chat => "openai",
            WireFormat::Responses => "openai_responses",
            WireFormat::Anthropic => "anthropic",
            WireFormat::Gemini => "gemini",
            WireFormat::Ollama => "ollama",
        }
    }

    /// The path that an operator configures; the rest is the format's.
    pub fn base_path(self) -> &'static str {
        match self {
            WireFormat::Chat | WireFormat::Responses | WireFormat::Anthropic => "/v1",
            WireFormat::Gemini => "/v1beta",
            WireFormat::Ollama => "",
        }
    }

    /// The header that has the key.
    pub fn key_header(self) -> &'static str {
        match self {
            WireFormat::Chat | WireFormat::Responses | WireFormat::Ollama => "authorization",
            WireFormat::Anthropic => "x-api-key",
            WireFormat::Gemini => "x-goog-api-key",
        }
    }

    pub(super) fn of_path(path: &str) -> Option<WireFormat> {
        match path {
            "/v1/chat/completions" => Some(WireFormat::Chat),
            "/v1/responses" => Some(WireFormat::Responses),
            "/v1/messages" => Some(WireFormat::Anthropic),
            "/api/chat" => Some(WireFormat::Ollama),
            _ => Self::gemini_model(path).map(|_| WireFormat::Gemini),
        }
    }

    /// The model of a path, if it is one of Gemini's.
    pub(super) fn gemini_model(path: &str) -> Option<&str> {
        path.strip_prefix("/v1beta/models/")?.strip_suffix(":streamGenerateContent")
    }

    pub(super) fn key(self, headers: &HeaderMap) -> Option<String> {
        let value = headers.get(self.key_header())?.to_str().ok()?;
        match self.key_header() {
            "authorization" => value.strip_prefix("Bearer ").map(str::to_owned),
            _ => Some(value.to_owned()),
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            WireFormat::Ollama => "application/x-ndjson",
            _ => "text/event-stream",
        }
    }
}
