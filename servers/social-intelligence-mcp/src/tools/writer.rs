//! A language model that writes headlines, and what is left of them after the rules.

use std::time::Duration;

use capability_kit::{LlmEndpoint, LlmError, LlmQuestion};
use serde::Deserialize;
use serde_json::json;

use super::faults::variant_fault;
use super::options::SocialOptions;
use crate::given;

/// Asked for, and taken.
const VARIANTS_MAX: usize = 6;
const VARIANT_CHARS_MAX: usize = 300;

/// The model as the operator configured it.
pub(super) struct VariantWriter {
    endpoint: LlmEndpoint,
}

/// Headlines that passed, and a line for each that did not.
#[derive(Default)]
pub(super) struct WrittenVariants {
    pub(super) headlines: Vec<String>,
    pub(super) refused: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantsReply {
    headlines: Vec<String>,
}

impl VariantWriter {
    /// `None` if none is configured.
    pub(super) fn of(options: &SocialOptions) -> Option<Self> {
        let endpoint = LlmEndpoint {
            url: options.llm_url.clone()?,
            ca_file: options.llm_ca_file.clone(),
            proxy: options.llm_proxy.clone(),
            model: options.llm_model.clone()?,
            key_variable: options.llm_key_env.clone(),
            time: Duration::from_secs(options.llm_timeout_seconds),
        };
        Some(Self { endpoint })
    }

    pub(super) fn write(&self, headline: &str) -> Result<WrittenVariants, LlmError> {
        let question = LlmQuestion {
            name: "headlines",
            task: format!(
                "Write {VARIANTS_MAX} other English headlines for the story of this one. Keep its facts: no new numbers, \
                 names, quotations or claims. No exclamation marks, no words in capitals, no filler such as \"You won't \
                 believe\"."
            ),
            text: headline,
            schema: json!({
                "type": "object",
                "properties": { "headlines": { "type": "array", "items": { "type": "string" } } },
                "required": ["headlines"],
                "additionalProperties": false,
            }),
        };
        let reply: VariantsReply = self.endpoint.ask(&question)?;
        Ok(passed(headline, reply.headlines))
    }
}

fn passed(headline: &str, written: Vec<String>) -> WrittenVariants {
    let mut variants = WrittenVariants::default();
    for text in written.into_iter().take(VARIANTS_MAX) {
        let text = text.trim().to_owned();
        let is_known = text.eq_ignore_ascii_case(headline.trim()) || variants.headlines.contains(&text);
        if is_known {
            continue;
        }
        match fault(headline, &text) {
            Some(fault) => {
                let shown: String =
                    text.chars().take(VARIANT_CHARS_MAX).filter(|letter| !letter.is_control()).collect();
                variants.refused.push(format!("{shown:?} {fault}"));
            }
            None => variants.headlines.push(text),
        }
    }
    variants
}

fn fault(headline: &str, text: &str) -> Option<String> {
    if text.chars().count() > VARIANT_CHARS_MAX {
        return Some("is much longer".to_owned());
    }
    let foreign = given::foreign(text).map(|language| format!("looks like {language}"));
    foreign.or_else(|| variant_fault(headline, text))
}
