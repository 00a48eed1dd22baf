//! Kinds of personal data, and where they are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters of a text in which names and addresses are looked for.
pub const TEXT_CHARS_MAX: usize = 2 << 20;

/// A kind of personal data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonalKind {
    Person,
    StreetAddress,
    Place,
    Organization,
    CreditCard,
    DateTime,
    Title,
    PhoneNumber,
    Age,
    Nationality,
    EmailAddress,
    WebAddress,
    Postcode,
    Iban,
    IpAddress,
    /// Numbers by which a state knows a person: of identity, tax, health or insurance.
    NationalId,
    DriverLicense,
    Passport,
}

/// The way something was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// A number whose check digits are right.
    CheckDigits,
    Pattern,
    Tagger,
}

/// One piece of personal data.
#[derive(Clone, PartialEq, Debug)]
pub struct PersonalSpan {
    pub kind: PersonalKind,
    /// Bytes of the text.
    pub from: usize,
    pub to: usize,
    /// 0 to 1.
    pub confidence: f64,
    pub by: FoundBy,
    /// Of a national number: ISO 3166 code of the state.
    pub country: Option<&'static str>,
}
