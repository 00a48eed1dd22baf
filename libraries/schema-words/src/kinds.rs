//! Kinds of values, and sets of them.

use serde_json::Value;

use crate::numbers;

/// A kind of value. Numbers are of two kinds, since `integer` is a part of `number`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueKind {
    Null,
    Boolean,
    Whole,
    Fraction,
    Text,
    List,
    Object,
}

impl ValueKind {
    pub(crate) const ALL: [ValueKind; 7] = [
        ValueKind::Null,
        ValueKind::Boolean,
        ValueKind::Whole,
        ValueKind::Fraction,
        ValueKind::Text,
        ValueKind::List,
        ValueKind::Object,
    ];

    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => ValueKind::Null,
            Value::Bool(_) => ValueKind::Boolean,
            Value::Number(number) if numbers::is_whole(number) => ValueKind::Whole,
            Value::Number(_) => ValueKind::Fraction,
            Value::String(_) => ValueKind::Text,
            Value::Array(_) => ValueKind::List,
            Value::Object(_) => ValueKind::Object,
        }
    }

    /// The name that a schema has for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            ValueKind::Null => "null",
            ValueKind::Boolean => "boolean",
            ValueKind::Whole => "integer",
            ValueKind::Fraction => "number",
            ValueKind::Text => "string",
            ValueKind::List => "array",
            ValueKind::Object => "object",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KindSet(u8);

impl KindSet {
    pub(crate) const ALL: KindSet = KindSet(0b111_1111);
    pub(crate) const NONE: KindSet = KindSet(0);

    pub(crate) fn only(kind: ValueKind) -> Self {
        Self(1 << kind as u8)
    }

    /// The kinds of a `type`: a name or a list of names. `None` if it is something else.
    pub(crate) fn of_type(rule: &Value) -> Option<Self> {
        match rule {
            Value::String(name) => Self::named(name),
            Value::Array(names) => {
                names.iter().try_fold(Self::NONE, |set, name| Some(set.with(Self::named(name.as_str()?)?)))
            }
            _ => None,
        }
    }

    fn named(name: &str) -> Option<Self> {
        match name {
            "number" => Some(Self::only(ValueKind::Whole).with(Self::only(ValueKind::Fraction))),
            name => {
                let kind = ValueKind::ALL.into_iter().find(|kind| kind.as_str() == name)?;
                Some(Self::only(kind))
            }
        }
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn without(self, kind: ValueKind) -> Self {
        Self(self.0 & !Self::only(kind).0)
    }

    pub(crate) fn has(self, kind: ValueKind) -> bool {
        self.0 & Self::only(kind).0 != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub(crate) fn kinds(self) -> impl Iterator<Item = ValueKind> {
        ValueKind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }

    /// `integer or string`
    pub(crate) fn words(self) -> String {
        let has_numbers = self.has(ValueKind::Fraction);
        let names: Vec<&str> = self
            .kinds()
            .filter(|kind| !(has_numbers && *kind == ValueKind::Whole))
            .map(ValueKind::as_str)
            .collect();
        match &names[..] {
            [] => "nothing".to_owned(),
            _ if self == Self::ALL => "any type".to_owned(),
            names => names.join(" or "),
        }
    }
}
