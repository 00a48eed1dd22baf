//! The bounds of a definition, for the operator's file and for the settings alike.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::definition::{ModelDefinition, ModelLimits, ModelPrices};

/// The number of models of the operator's file, and of the setting.
pub const MODELS_MAX: usize = 200;

/// Beginnings of credentials that providers give out. A credential is no name of a secret.
const CREDENTIALS: [&str; 7] = ["sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "Bearer"];
/// Names of secrets are shorter; credentials without a known beginning are longer.
const CREDENTIAL_CHARS_MIN: usize = 40;

impl ModelDefinition {
    pub const KEYS: &'static [&'static str] =
        &["name", "provider", "model", "url", "key", "context_tokens", "prices", "limits"];
    /// Context windows.
    pub const CONTEXT_TOKENS: RangeInclusive<usize> = 1_024..=100_000_000;
    /// The context window, if none is named.
    pub const CONTEXT_TOKENS_USUAL: u64 = 128_000;
    const MODEL_CHARS_MAX: usize = 200;
    const KEY_CHARS_MAX: usize = 64;

    /// True if this may be a provider's own name of a model. It becomes a part of an address.
    pub fn is_model_name(text: &str) -> bool {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.:/@+,=()~".contains(c);
        (1..=Self::MODEL_CHARS_MAX).contains(&text.len()) && text.chars().all(fits) && !text.contains("..")
    }

    /// True if this may be the name of a secret.
    pub fn is_key_name(text: &str) -> bool {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        (1..=Self::KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(fits)
    }

    /// True if someone seems to have written the credential itself instead of the name of a secret.
    pub fn is_credential(text: &str) -> bool {
        let is_long = text.len() >= CREDENTIAL_CHARS_MIN && text.contains(|c: char| c.is_ascii_digit());
        is_long || CREDENTIALS.iter().any(|start| text.starts_with(start))
    }
}

impl ModelPrices {
    pub const KEYS: &'static [&'static str] = &["input", "cached", "written", "output", "currency"];
    /// In currency units for a million tokens.
    pub const PRICE_MAX: f64 = 1_000_000.0;

    /// The stored form of a price in currency units. `None` if it is none.
    pub fn micros(price: f64) -> Option<u64> {
        const MILLION: f64 = 1_000_000.0;
        let fits = price.is_finite() && (0.0..=Self::PRICE_MAX).contains(&price);
        // At most 10^12, which a float has exactly.
        fits.then(|| (price * MILLION).round() as u64)
    }

    /// A stored price in currency units.
    pub fn units(micros: u64) -> f64 {
        const MILLION: f64 = 1_000_000.0;
        micros as f64 / MILLION
    }
}

impl ModelLimits {
    pub const KEYS: &'static [&'static str] =
        &["output_tokens_max", "parallel_max", "silence_seconds", "answer_seconds", "spend_per_day"];
    pub const OUTPUT_TOKENS: RangeInclusive<usize> = 16..=10_000_000;
    pub const PARALLEL: RangeInclusive<usize> = 1..=10_000;
    /// The longest wait that can be configured.
    pub const WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

    /// The usual limits of a model with this context: an answer never takes more than half of it.
    pub fn usual(context_tokens: u64) -> Self {
        let usual = Self::default();
        Self { output_tokens_max: usual.output_tokens_max.min(context_tokens / 2), ..usual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_keep_their_decimal_places() {
        assert_eq!(ModelPrices::micros(3.0), Some(3_000_000));
        assert_eq!(ModelPrices::micros(0.075), Some(75_000));
        assert_eq!(ModelPrices::micros(ModelPrices::units(375_000)), Some(375_000));
        for bad in [-0.1, f64::NAN, f64::INFINITY, 1_000_001.0] {
            assert_eq!(ModelPrices::micros(bad), None, "{bad}");
        }
    }

    #[test]
    fn names_of_models_stay_within_their_part_of_an_address() {
        for good in ["gpt-5", "llama3.2:3b", "meta-llama/Llama-3.3-70B", "models/gemini-2.5-pro", "a@b"] {
            assert!(ModelDefinition::is_model_name(good), "{good}");
        }
        for bad in ["", "a b", "a?key=1", "a#b", "../v1/files", "a%2fb", "a\nb", "ü"] {
            assert!(!ModelDefinition::is_model_name(bad), "{bad}");
        }
    }

    #[test]
    fn a_credential_is_not_taken_for_the_name_of_a_secret() {
        for credential in ["sk-proj-abc", "AIzaSyD", "0123456789abcdef0123456789abcdef01234567"] {
            assert!(ModelDefinition::is_credential(credential), "{credential}");
        }
        for name in ["OPENAI_KEY", "anthropic", "the-key-of-the-research-department-in-vienna"] {
            assert!(!ModelDefinition::is_credential(name), "{name}");
        }
    }

    #[test]
    fn an_answer_leaves_room_for_its_request() {
        assert_eq!(ModelLimits::usual(4_096).output_tokens_max, 2_048);
        assert_eq!(ModelLimits::usual(1_000_000), ModelLimits::default());
    }
}
