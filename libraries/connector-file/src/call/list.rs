//! The items of a list, gathered over its pages.

use serde_json::{Map, Value, json};

use super::CallTurn;
use crate::error::BadActionArguments;
use crate::judge::ProviderVerdict;
use crate::pages::{PageRule, PageTrouble, Pages};
use crate::step::PlacedValue;
use crate::words::HeaderOf;

/// The arguments that every action over a list has.
pub(crate) const PAGE: &str = "page";
pub(crate) const LIMIT: &str = "limit";

/// Items of one call, if the caller does not say.
pub(crate) const ITEMS_DEFAULT: u64 = 100;
pub(crate) const ITEMS_MAX: u64 = 1000;

pub(super) struct PagedList {
    rule: PageRule,
    pages: Pages,
    items: Vec<Value>,
    limit: u64,
}

impl PagedList {
    /// Takes the arguments of the list out of those of the action.
    pub(super) fn begin(
        rule: &PageRule,
        arguments: &mut Map<String, Value>,
    ) -> Result<Self, BadActionArguments> {
        let step = match arguments.remove(PAGE) {
            Some(Value::String(token)) => Some(rule.step(&token).ok_or(BadActionArguments::ForeignPage)?),
            Some(Value::Null) | None => None,
            Some(_) => return Err(BadActionArguments::ForeignPage),
        };
        let limit = arguments.remove(LIMIT).and_then(|limit| limit.as_u64()).unwrap_or(ITEMS_DEFAULT);
        let pages = Pages::from(rule, step, 0);
        Ok(Self { rule: rule.clone(), pages, items: Vec::new(), limit: limit.clamp(1, ITEMS_MAX) })
    }

    pub(super) fn placed(&self) -> Vec<PlacedValue> {
        self.rule.placed(self.pages.now())
    }

    /// Adds a page. Pages are kept whole, so that the next call begins where this one ended.
    pub(super) fn add(&mut self, headers: HeaderOf<'_>, body: &Value, items: Option<&str>) -> CallTurn {
        let pointer = items.unwrap_or_default();
        let Some(found) = body.pointer(pointer).and_then(Value::as_array) else {
            let says = format!("the provider's answer has no list at {pointer:?}");
            return CallTurn::End(ProviderVerdict::Failed { says, code: None });
        };
        self.items.extend(found.iter().cloned());
        match self.pages.next(headers, body, found.len()) {
            Ok(Some(_)) if (self.items.len() as u64) < self.limit => CallTurn::Send,
            Ok(Some(next)) | Err(PageTrouble::TooMany { next, .. }) => {
                self.end(json!({ "next": next.token() }))
            }
            Ok(None) => self.end(json!({})),
            // The items are good all the same.
            Err(trouble) => self.end(json!({ "stopped": trouble.to_string() })),
        }
    }

    fn end(&mut self, mut rest: Value) -> CallTurn {
        let mut data = Map::new();
        data.insert("items".to_owned(), Value::Array(std::mem::take(&mut self.items)));
        data.append(rest.as_object_mut().expect("it was written as one"));
        CallTurn::End(ProviderVerdict::Done { data: Value::Object(data) })
    }
}
