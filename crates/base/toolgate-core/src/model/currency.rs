//! The currency of prices: a code of ISO 4217. It is only shown; amounts are never converted.

use serde::{Deserialize, Serialize};

/// Three capital letters, such as EUR.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CurrencyCode([u8; 3]);

#[derive(Debug, thiserror::Error)]
#[error("a currency is three capital letters, such as EUR")]
pub struct BadCurrencyCode;

impl CurrencyCode {
    /// `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let letters: [u8; 3] = text.as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_uppercase).then_some(Self(letters))
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("letters of ASCII are UTF-8")
    }
}

impl TryFrom<String> for CurrencyCode {
    type Error = BadCurrencyCode;

    fn try_from(text: String) -> Result<Self, BadCurrencyCode> {
        Self::parse(&text).ok_or(BadCurrencyCode)
    }
}

impl From<CurrencyCode> for String {
    fn from(code: CurrencyCode) -> Self {
        code.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_currency_is_three_capital_letters() {
        assert_eq!(CurrencyCode::parse("EUR").map(String::from).as_deref(), Some("EUR"));
        for bad in ["", "eur", "EURO", "€", "E1R", "É"] {
            assert_eq!(CurrencyCode::parse(bad), None, "{bad}");
        }
    }
}
