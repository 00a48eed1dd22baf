//! An article as JSON: short forms are read too, and errors name their place.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::article::{Article, Block, ListItem, StyledText, TextRun};
use crate::error::TypesetError;
use crate::limits::ArticleLimits;

impl Article {
    /// From its own form, as [`Article::schema`] describes it.
    pub fn from_json(json: &str) -> Result<Self, TypesetError> {
        if json.trim().is_empty() {
            return Err(TypesetError::Empty { what: "JSON" });
        }
        if json.len() > ArticleLimits::DEFAULT.input_bytes_max {
            return Err(TypesetError::TooLarge {
                what: "JSON with bytes",
                limit: ArticleLimits::DEFAULT.input_bytes_max,
            });
        }
        Self::read(&mut serde_json::Deserializer::from_str(json))
    }

    /// The same from JSON that was parsed before.
    pub fn from_value(value: Value) -> Result<Self, TypesetError> {
        Self::read(value)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, TypesetError>
    where
        D::Error: fmt::Display,
    {
        let article: Self = serde_path_to_error::deserialize(deserializer).map_err(|error| {
            let place = match error.path().to_string() {
                place if place == "." => "the top".to_owned(),
                place => place,
            };
            TypesetError::Json { place, why: error.inner().to_string() }
        })?;
        article.cleaned().check()
    }

    /// The schema of [`Article::from_json`].
    pub fn schema() -> Value {
        schemars::schema_for!(Article).to_value()
    }
}

impl<'de> Deserialize<'de> for StyledText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = StyledText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or a list of strings and runs such as {\"text\": \"…\", \"bold\": true}")
    }

    fn visit_str<E>(self, text: &str) -> Result<StyledText, E> {
        Ok(StyledText::plain(text))
    }

    fn visit_u64<E>(self, number: u64) -> Result<StyledText, E> {
        Ok(StyledText::plain(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<StyledText, E> {
        Ok(StyledText::plain(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<StyledText, E> {
        Ok(StyledText::plain(number.to_string()))
    }

    fn visit_unit<E>(self) -> Result<StyledText, E> {
        Ok(StyledText::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<StyledText, A::Error> {
        let mut runs = Vec::new();
        while let Some(RunOrText(run)) = items.next_element()? {
            runs.push(run);
        }
        Ok(StyledText(runs))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StyledText, A::Error> {
        TextRun::deserialize(MapAccessDeserializer::new(map)).map(|run| StyledText(vec![run]))
    }
}

/// A run, or a string for one without looks.
struct RunOrText(TextRun);

impl<'de> Deserialize<'de> for RunOrText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StyledText(mut runs) = deserializer.deserialize_any(TextVisitor)?;
        Ok(Self(match runs.len() {
            0 | 1 => runs.pop().unwrap_or_default(),
            _ => return Err(serde::de::Error::custom("a list of runs within a list of runs")),
        }))
    }
}

impl JsonSchema for StyledText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let run = generator.subschema_for::<TextRun>();
        json_schema!({
            "description": "Plain text, or a list of strings and runs.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "anyOf": [{ "type": "string" }, run] } }],
        })
    }
}

/// The long form of an item. `text` is its first paragraph.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ItemForm {
    /// True if its box is checked, for items that have one.
    #[serde(default)]
    checked: Option<bool>,
    #[serde(default)]
    text: StyledText,
    /// The content below the text: more paragraphs, or lists.
    #[serde(default)]
    blocks: Vec<Block>,
}

impl From<ItemForm> for ListItem {
    fn from(form: ItemForm) -> Self {
        let first = (!form.text.is_empty()).then_some(Block::Paragraph { text: form.text });
        Self { checked: form.checked, blocks: first.into_iter().chain(form.blocks).collect() }
    }
}

impl<'de> Deserialize<'de> for ListItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemVisitor)
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = ListItem;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an item such as {\"text\": \"…\", \"blocks\": […]}")
    }

    fn visit_str<E>(self, text: &str) -> Result<ListItem, E> {
        Ok(ListItem::new(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<ListItem, A::Error> {
        TextVisitor.visit_seq(items).map(ListItem::new)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ListItem, A::Error> {
        ItemForm::deserialize(MapAccessDeserializer::new(map)).map(ListItem::from)
    }
}

impl JsonSchema for ListItem {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Item".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let form = generator.subschema_for::<ItemForm>();
        json_schema!({ "anyOf": [{ "type": "string" }, form] })
    }
}
