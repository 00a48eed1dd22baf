//! The text of Markdown as people see it, with places: emphasis, links, escapes and HTML between letters hide nothing.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::html;
use super::seen::SeenText;

/// Reads a file.
pub(super) fn seen(source: &str) -> (SeenText, SeenText) {
    let mut reader = MarkdownReader { source, ..MarkdownReader::default() };
    for (event, place) in Parser::new_ext(source, options()).into_offset_iter() {
        reader.take(event, place);
    }
    reader.flush();
    (reader.main, reader.asides)
}

/// All extensions that add something to read.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
}

#[derive(Default)]
struct MarkdownReader<'s> {
    source: &'s str,
    main: SeenText,
    asides: SeenText,
    /// Lines of HTML that belong together.
    html: Range<usize>,
}

impl MarkdownReader<'_> {
    fn take(&mut self, event: Event<'_>, place: Range<usize>) {
        match event {
            Event::Html(_) if self.html.end == place.start && !self.html.is_empty() => {
                self.html.end = place.end
            }
            Event::Html(_) => {
                self.flush();
                self.html = place;
            }
            Event::InlineHtml(_) => self.html(place),
            Event::Text(text) | Event::Code(text) => self.text(&text, place),
            Event::SoftBreak | Event::HardBreak | Event::End(_) if !is_inline(&event) => {
                self.main.break_line()
            }
            Event::Start(Tag::Link { dest_url, title, .. }) => self.aside(&dest_url, &title, &place),
            Event::Start(Tag::Image { dest_url, title, .. }) => {
                self.main.pictures += usize::from(html::is_picture(&dest_url));
                self.aside(&dest_url, &title, &place);
            }
            _ => {}
        }
    }

    fn flush(&mut self) {
        let range = std::mem::take(&mut self.html);
        if !range.is_empty() {
            self.html(range);
        }
    }

    fn html(&mut self, range: Range<usize>) {
        let (main, asides) = html::seen(self.source, range);
        self.main.append(main);
        self.asides.append(asides);
    }

    fn text(&mut self, text: &str, place: Range<usize>) {
        let own = &self.source[place.clone()];
        match own.find(text) {
            Some(at) => self.main.push_source(self.source, place.start + at..place.start + at + text.len()),
            // A reference, or code over several lines.
            None => text.chars().for_each(|it| self.main.push(it, place.clone())),
        }
    }

    /// The address and title of a link: in the source they may be written otherwise.
    fn aside(&mut self, address: &str, title: &str, place: &Range<usize>) {
        for text in [address, title] {
            let own = &self.source[place.clone()];
            if html::is_picture(text) || text.is_empty() {
                continue;
            }
            if let Some(at) = own.rfind(text) {
                self.asides.push_source(self.source, place.start + at..place.start + at + text.len());
                self.asides.part();
            }
        }
    }
}

/// True for ends that do not break the text around them.
fn is_inline(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::End(
            TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image
                | TagEnd::Superscript
                | TagEnd::Subscript
        )
    )
}
