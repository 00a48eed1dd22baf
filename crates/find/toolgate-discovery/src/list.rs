//! The text of a list: definitions under their wire names, marked if people will be asked, and shortened if
//! the agent wants that. The same tools give the same bytes.

use serde_json::Value;
use toolgate_catalog::{BadCursor, ListPage};
use toolgate_core::RawJson;
use toolgate_core::decision::ApprovalLikelihood;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{push_member, push_string, with_member};

use crate::view::View;

/// The member of a definition's `_meta` about approval.
pub const APPROVAL_META: &str = "dev.toolgate/approval";
/// The same among the annotations, where clients look for hints.
pub const APPROVAL_ANNOTATION: &str = "approvalHint";

/// A larger first page is written again each time.
const PAGE_BYTES_KEPT: usize = 4 << 20;

impl View {
    /// One page of everything visible: `{"tools":[…],"nextCursor":…}`.
    pub(crate) fn full_page(&self, cursor: Option<&str>, page_size: usize) -> Result<RawJson, BadCursor> {
        if let (None, Some(page)) = (cursor, self.first_page.get()) {
            return Ok(page.clone());
        }
        let page = ListPage::of(&self.entries, cursor, page_size)?;
        let mut items = String::with_capacity(page.bytes_max());
        for place in page.start..page.start + page.entries.len() {
            if !items.is_empty() {
                items.push(',');
            }
            self.write_item(place, &mut items);
        }
        let text = tools_result(&items, page.next_cursor.as_deref());
        if cursor.is_none() && text.as_str().len() <= PAGE_BYTES_KEPT {
            return Ok(self.first_page.get_or_init(|| text).clone());
        }
        Ok(text)
    }

    /// The definition of a tool as this list has it.
    pub(crate) fn item(&self, place: usize) -> String {
        let mut text = String::with_capacity(self.entries[place].bytes());
        self.write_item(place, &mut text);
        text
    }

    pub(crate) fn write_item(&self, place: usize, text: &mut String) {
        if self.asking[place] == ApprovalLikelihood::Never && !self.scope.schema_diet {
            self.entries[place].write(text);
        } else {
            text.push_str(self.dressed[place].get_or_init(|| self.dress(place).into()));
        }
    }

    fn dress(&self, place: usize) -> String {
        let definition = self.entries[place].definition();
        let text = match definition.decode::<Value>() {
            Ok(value) if self.scope.schema_diet => toolgate_search::diet(&value).to_string(),
            _ => definition.as_str().to_owned(),
        };
        match self.asking[place] {
            ApprovalLikelihood::Never => text,
            asking => marked(&text, asking).unwrap_or(text),
        }
    }
}

pub(crate) fn tools_result(items: &str, next_cursor: Option<&str>) -> RawJson {
    let mut text = String::with_capacity(items.len() + 64);
    text.push_str("{\"tools\":[");
    text.push_str(items);
    text.push(']');
    if let Some(cursor) = next_cursor {
        let mut quoted = String::new();
        push_string(&mut quoted, cursor);
        push_member(&mut text, "nextCursor", &quoted);
    }
    text.push('}');
    RawJson::from_composed(text)
}

/// The definition with a mark that people are asked. `None` if it is not an object, which no list contains.
fn marked(definition: &str, asking: ApprovalLikelihood) -> Option<String> {
    let word = match asking {
        ApprovalLikelihood::Always => "\"always\"",
        _ => "\"sometimes\"",
    };
    let members = ObjectMembers::of_str(definition).ok()?;
    let part = |key: &str| members.get(key).filter(|raw| raw.is_object()).map_or("{}", |raw| raw.get());
    let annotations = with_member(part("annotations"), APPROVAL_ANNOTATION, "true").ok()?;
    let meta = with_member(part("_meta"), APPROVAL_META, word).ok()?;
    let text = with_member(definition, "annotations", &annotations).ok()?;
    with_member(&text, "_meta", &meta).ok()
}
