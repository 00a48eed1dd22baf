//! Web pages. Tags are processed as they come, without building a page in memory: time and memory grow with
//! the length of a page and with nothing else.

mod elements;
mod flow;
mod tame;
mod zones;

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::document::{Block, Document, DocumentFacts, Page, PageSource};
use crate::kind::DocumentKind;
use crate::limits::DocumentLimits;
use crate::text::{self, DecodedText};

use flow::HtmlFlow;

/// The part of a page that may declare the rules of XML.
const HEAD_BYTES: usize = 1024;

/// The result of a page.
pub(crate) struct HtmlPage {
    pub(crate) blocks: Vec<Block>,
    pub(crate) facts: DocumentFacts,
    pub(crate) warnings: Vec<String>,
    pub(crate) has_pictures: bool,
}

pub(crate) fn read(bytes: &[u8], limits: &DocumentLimits) -> Document {
    let web = parse(bytes, 1, limits);
    let source = if web.blocks.is_empty() { PageSource::Empty } else { PageSource::Text };
    let page = Page { number: 1, source, blocks: web.blocks, ..Page::default() };
    Document {
        kind: DocumentKind::Html,
        facts: web.facts,
        page_count: 1,
        pages: vec![page],
        warnings: web.warnings,
    }
}

/// Reads a web page as page `number` of a document.
pub(crate) fn parse(bytes: &[u8], number: u32, limits: &DocumentLimits) -> HtmlPage {
    let DecodedText { text, warning } = text::decode_html(bytes);
    let mut web = parse_text(&text, number, limits);
    web.warnings.extend(warning);
    web
}

pub(crate) fn parse_text(text: &str, number: u32, limits: &DocumentLimits) -> HtmlPage {
    let sink = FlowSink { flow: RefCell::new(HtmlFlow::new(number, limits, rules_of(text))) };
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(tame::tame(text).as_ref()));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    // Nothing here stops the tokenizer, so one call takes all of it.
    drop(tokenizer.feed(&input));
    tokenizer.end();
    tokenizer.sink.flow.into_inner().finish()
}

/// The meaning of `<p/>`: a whole element or the beginning of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkupRules {
    Html,
    Xml,
}

fn rules_of(text: &str) -> MarkupRules {
    let head = text[..text.floor_char_boundary(HEAD_BYTES)].to_ascii_lowercase();
    let is_xml = head.trim_start().starts_with("<?xml") || head.contains("//dtd xhtml");
    if is_xml { MarkupRules::Xml } else { MarkupRules::Html }
}

struct FlowSink {
    flow: RefCell<HtmlFlow>,
}

impl TokenSink for FlowSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut flow = self.flow.borrow_mut();
        match token {
            Token::TagToken(tag) => return take_tag(&mut flow, &tag),
            Token::CharacterTokens(text) => flow.text(&text),
            Token::NullCharacterToken
            | Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::ParseError(_)
            | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

fn take_tag(flow: &mut HtmlFlow, tag: &Tag) -> TokenSinkResult<()> {
    if tag.kind == TagKind::EndTag {
        flow.end(&tag.name);
        return TokenSinkResult::Continue;
    }
    let is_whole = tag.self_closing && flow.rules == MarkupRules::Xml;
    flow.start(tag);
    if is_whole {
        flow.end(&tag.name);
        return TokenSinkResult::Continue;
    }
    match &*tag.name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}

/// An attribute of a tag.
fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| &*attribute.value)
}

#[cfg(test)]
mod tests;
