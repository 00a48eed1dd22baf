//! Arguments for a server: content in place of an id, everything else unchanged.

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::port::{TextInsert, TextSource};
use toolgate_core::tool::FileSlot;
use toolgate_wire::object::{push_member, push_string};

/// The content of one slot.
pub(super) struct FilledSlot<'a> {
    pub(super) slot: &'a FileSlot,
    /// The argument that it replaces.
    pub(super) argument: &'a str,
    pub(super) items: Vec<FileFilling>,
}

/// The content of one file.
pub(super) struct FileFilling {
    pub(super) content: FillContent,
    pub(super) media_type: String,
    pub(super) name: Option<String>,
}

pub(super) enum FillContent {
    /// Written while the request is sent.
    Streamed(Arc<dyn TextSource>),
    Text(String),
}

/// The object of arguments, and the texts to insert later.
pub(super) fn compose(
    arguments: &Value,
    slots: &[FileSlot],
    filled: Vec<FilledSlot<'_>>,
) -> (String, Vec<TextInsert>) {
    let names = filled.iter().flat_map(|one| one.slot.filled()).cloned().collect();
    let mut composer = ArgumentComposer { text: String::from("{"), inserts: Vec::new(), filled, names };
    for (key, value) in arguments.as_object().into_iter().flatten() {
        composer.member(key, value, slots);
    }
    composer.text.push('}');
    (composer.text, composer.inserts)
}

struct ArgumentComposer<'a> {
    text: String,
    inserts: Vec<TextInsert>,
    filled: Vec<FilledSlot<'a>>,
    /// The arguments for contents, media types and names. The caller's own values there are dropped.
    names: Vec<String>,
}

impl ArgumentComposer<'_> {
    fn member(&mut self, key: &str, value: &Value, slots: &[FileSlot]) {
        if let Some(at) = self.filled.iter().position(|filled| filled.argument == key) {
            let filled = self.filled.swap_remove(at);
            return self.fill(filled.slot, filled.items);
        }
        if self.names.iter().any(|name| name == key) {
            return;
        }
        match slots.iter().find(|slot| slot.expands() && slot.argument == key) {
            // No id is no content; an empty list of them is an empty list of contents.
            Some(slot) if value.is_array() => self.fill(slot, Vec::new()),
            Some(_) => {}
            None => push_member(&mut self.text, key, &value.to_string()),
        }
    }

    fn fill(&mut self, slot: &FileSlot, items: Vec<FileFilling>) {
        let (mut contents, mut types, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for FileFilling { content, media_type, name } in items {
            contents.push(content);
            types.push(media_type);
            names.push(name);
        }
        self.list(slot, &slot.content, contents, Self::content);
        if let Some(argument) = &slot.media_type {
            self.list(slot, argument, types, Self::text);
        }
        // In a list, each has its place. One that nobody named has no name at all.
        if let Some(argument) =
            slot.file_name.as_ref().filter(|_| slot.many || names.iter().any(Option::is_some))
        {
            let names = names.into_iter().map(Option::unwrap_or_default).collect();
            self.list(slot, argument, names, Self::text);
        }
    }

    fn text(&mut self, text: String) {
        push_string(&mut self.text, &text);
    }

    /// One value, or a list of them if the server takes several.
    fn list<T>(&mut self, slot: &FileSlot, name: &str, values: Vec<T>, push: impl Fn(&mut Self, T)) {
        push_member(&mut self.text, name, if slot.many { "[" } else { "" });
        for (at, value) in values.into_iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            push(self, value);
        }
        self.text.push_str(if slot.many { "]" } else { "" });
    }

    fn content(&mut self, content: FillContent) {
        match content {
            FillContent::Text(text) => push_string(&mut self.text, &text),
            FillContent::Streamed(source) => {
                self.text.push('"');
                self.inserts.push(TextInsert { at: self.text.len(), source });
                self.text.push('"');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::stream;
    use serde_json::json;
    use toolgate_core::port::TextStream;
    use toolgate_core::tool::FileStrategy;

    use super::super::base64_source::Base64Source;
    use super::*;

    fn streamed(bytes: &'static [u8]) -> FileFilling {
        let open = move || -> TextStream { Box::pin(stream::iter([Ok(Bytes::from_static(bytes))])) };
        let source = Base64Source::new(bytes.len() as u64, Arc::new(open));
        FileFilling {
            content: FillContent::Streamed(Arc::new(source)),
            media_type: "image/png".to_owned(),
            name: Some("a.png".to_owned()),
        }
    }

    fn text(text: &str) -> FileFilling {
        FileFilling {
            content: FillContent::Text(text.to_owned()),
            media_type: "text/plain".to_owned(),
            name: None,
        }
    }

    fn check(
        slots: &[FileSlot],
        arguments: Value,
        fill: Vec<(usize, &str, Vec<FileFilling>)>,
    ) -> (String, Vec<usize>) {
        let filled = fill
            .into_iter()
            .map(|(slot, argument, items)| FilledSlot { slot: &slots[slot], argument, items })
            .collect();
        let (text, inserts) = compose(&arguments, slots, filled);
        serde_json::from_str::<Value>(&text).expect("what is composed is JSON");
        (text, inserts.iter().map(|insert| insert.at).collect())
    }

    #[test]
    fn content_stands_where_the_id_stood_and_nothing_else_moves() {
        let slots = [FileSlot::of(FileStrategy::BinaryBase64)];
        let arguments: Value =
            serde_json::from_str(r#"{"z":1.50,"é":"a\u0000\"","file_id":"file_1","a":{"y":[],"x":null}}"#)
                .unwrap();
        let (text, inserts) = check(&slots, arguments, vec![(0, "file_id", vec![streamed(b"abc")])]);
        let expected =
            r#"{"z":1.5,"é":"a\u0000\"","file_data":"","file_type":"image/png","a":{"y":[],"x":null}}"#;
        assert_eq!(text, expected);
        assert_eq!(inserts, [text.find(r#"file_data":"""#).unwrap() + r#"file_data":""#.len()]);
    }

    #[test]
    fn several_files_are_lists_in_their_order() {
        let slots = [FileSlot { many: true, ..FileSlot::of(FileStrategy::ImageBase64) }];
        let fill = vec![(0, "file_id", vec![streamed(b"a"), streamed(b"b")])];
        let (text, inserts) = check(&slots, json!({"file_id": ["file_1", "file_2"]}), fill);
        assert_eq!(text, r#"{"image_data":["",""],"image_type":["image/png","image/png"]}"#);
        assert_eq!(inserts, [16, 19]);
        let (text, _) =
            check(&slots, json!({"file_id": "file_1"}), vec![(0, "file_id", vec![streamed(b"a")])]);
        assert_eq!(text, r#"{"image_data":[""],"image_type":["image/png"]}"#);
        let (text, _) = check(&slots, json!({"file_id": [], "n": 1}), vec![]);
        assert_eq!(text, r#"{"image_data":[],"image_type":[],"n":1}"#);
    }

    #[test]
    fn a_name_stands_beside_its_content_and_content_without_one_has_none() {
        let named = |strategy, many| FileSlot {
            file_name: Some("file_name".to_owned()),
            many,
            ..FileSlot::of(strategy)
        };
        let slots = [named(FileStrategy::BinaryBase64, false)];
        let fill = vec![(0, "file_id", vec![streamed(b"a")])];
        let (composed, _) = check(&slots, json!({"file_id": "file_1", "file_name": "forged"}), fill);
        assert_eq!(composed, r#"{"file_data":"","file_type":"image/png","file_name":"a.png"}"#);
        let slots = [named(FileStrategy::PlainTextText, false)];
        let (composed, _) = check(&slots, json!({"file_id": "ref_1"}), vec![(0, "file_id", vec![text("t")])]);
        assert_eq!(composed, r#"{"text":"t"}"#);
        let slots = [named(FileStrategy::PlainTextText, true)];
        let fill = vec![(0, "file_id", vec![text("t"), streamed(b"a")])];
        let (composed, _) = check(&slots, json!({"file_id": ["ref_1", "file_1"]}), fill);
        assert_eq!(composed, r#"{"text":["t",""],"file_name":["","a.png"]}"#);
    }

    #[test]
    fn text_is_escaped_and_an_argument_of_another_name_goes_away() {
        let slots = [FileSlot::of(FileStrategy::PlainTextText)];
        let fill = vec![(0, "source_ref_id", vec![text("a \"b\"\n\u{1}ü")])];
        let (text, inserts) = check(&slots, json!({"source_ref_id": "ref_1", "file_id": null}), fill);
        assert_eq!(text, r#"{"text":"a \"b\"\n\u0001ü"}"#);
        assert!(inserts.is_empty());
    }

    #[test]
    fn no_argument_is_written_twice() {
        let slots = [FileSlot::of(FileStrategy::BinaryBase64)];
        let arguments = json!({"file_type": null, "source_ref_id": "ref_1", "file_data": null, "n": 1});
        let (text, _) = check(&slots, arguments, vec![(0, "source_ref_id", vec![streamed(b"a")])]);
        assert_eq!(text, r#"{"file_data":"","file_type":"image/png","n":1}"#);
    }

    #[test]
    fn two_slots_keep_the_order_of_the_arguments() {
        let second = FileSlot {
            argument: "image".to_owned(),
            content: "picture".to_owned(),
            media_type: None,
            ..FileSlot::of(FileStrategy::ImageBase64)
        };
        let slots = [FileSlot::of(FileStrategy::PlainTextContent), second];
        let fill = vec![(0, "file_id", vec![text("t")]), (1, "image", vec![streamed(b"i")])];
        let (text, inserts) = check(&slots, json!({"image": "file_2", "n": 1, "file_id": "file_1"}), fill);
        assert_eq!(text, r#"{"picture":"","n":1,"content":"t"}"#);
        assert_eq!(inserts, [12]);
    }

    #[test]
    fn ids_that_are_passed_on_stay() {
        let slots = [FileSlot::of(FileStrategy::Passthrough)];
        assert_eq!(check(&slots, json!({"file_id": "file_1"}), vec![]).0, r#"{"file_id":"file_1"}"#);
        assert_eq!(check(&[], json!({}), vec![]).0, "{}");
    }
}
