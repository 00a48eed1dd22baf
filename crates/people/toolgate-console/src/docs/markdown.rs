//! Markdown as a page: headings with anchors, links between files as links between pages, wide tables that scroll.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// A rendered page.
pub(super) struct DocPage {
    pub(super) title: String,
    pub(super) html: String,
}

/// A way to another page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DocLink {
    pub(super) text: String,
    /// The address of the page.
    pub(super) address: String,
    /// The file within the folder.
    pub(super) file: String,
}

/// A heading with the ways under it.
pub(super) struct Chapter {
    pub(super) name: String,
    pub(super) links: Vec<DocLink>,
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
}

/// `name` is the file within the folder: links are relative to it.
pub(super) fn render(text: &str, name: &str) -> DocPage {
    let events: Vec<Event<'_>> = Parser::new_ext(text, options()).collect();
    let mut headings = Headings::of(&events);
    let title = headings.first.clone().unwrap_or_else(|| name.to_owned());
    let shown = events.into_iter().flat_map(|event| changed(event, name, &mut headings));
    let mut written = String::new();
    html::push_html(&mut written, shown);
    DocPage { title, html: written }
}

/// Links to other files of the folder in order, under their headings.
pub(super) fn contents(text: &str) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    // The current element: a heading, or the text of a link.
    let mut heading: Option<String> = None;
    let mut open: Option<DocLink> = None;
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                chapters.extend(heading.take().map(|name| Chapter { name, links: Vec::new() }));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let file = file_of(&dest_url, "README.md");
                open = file.map(|file| DocLink { text: String::new(), address: address_of(&file, ""), file });
            }
            Event::Text(part) | Event::Code(part) => {
                let read = open.as_mut().map(|link| &mut link.text).or(heading.as_mut());
                if let Some(read) = read {
                    read.push_str(&part);
                }
            }
            Event::End(TagEnd::Link) => {
                if let (Some(link), Some(chapter)) = (open.take(), chapters.last_mut())
                    && !known.contains(&link.file)
                {
                    known.push(link.file.clone());
                    chapter.links.push(link);
                }
            }
            _ => {}
        }
    }
    chapters.retain(|chapter| !chapter.links.is_empty());
    chapters
}

fn changed<'a>(event: Event<'a>, name: &str, headings: &mut Headings) -> Vec<Event<'a>> {
    match event {
        Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
            let id = headings.next_anchor().map(CowStr::from);
            vec![Event::Start(Tag::Heading { level, id, classes, attrs })]
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = in_pages(&dest_url, name).map_or(dest_url, CowStr::from);
            vec![Event::Start(Tag::Link { link_type, dest_url, title, id })]
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            let dest_url =
                within(&dest_url, name).map_or(dest_url, |path| CowStr::from(format!("/docs/{path}")));
            vec![Event::Start(Tag::Image { link_type, dest_url, title, id })]
        }
        table @ Event::Start(Tag::Table(_)) => {
            vec![Event::Html("<div class=\"scroll\" tabindex=\"0\">".into()), table]
        }
        // A long line scrolls: keyboard users must be able to get there.
        Event::Start(Tag::CodeBlock(_)) => vec![Event::Html("<pre tabindex=\"0\"><code>".into())],
        Event::End(TagEnd::CodeBlock) => vec![Event::Html("</code></pre>\n".into())],
        end @ Event::End(TagEnd::Table) => vec![end, Event::Html("</div>".into())],
        // Pages are text: HTML in them is shown literally.
        Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
        other => vec![other],
    }
}

/// A link between files as a link between pages; links to files outside of the folder lead to the project,
/// which a reader of the program does not have: they stay as written.
fn in_pages(written: &str, name: &str) -> Option<String> {
    let (path, anchor) = written.split_once('#').unwrap_or((written, ""));
    let file = file_of(path, name)?;
    Some(address_of(&file, anchor))
}

fn file_of(written: &str, name: &str) -> Option<String> {
    let path = written.split('#').next().unwrap_or_default();
    within(path, name).filter(|path| path.ends_with(".md"))
}

/// A relative path as one from the folder's root; `None` if it leads outside.
fn within(written: &str, name: &str) -> Option<String> {
    if written.is_empty() || written.contains(':') || written.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The words of a page, without marks.
pub(super) struct PlainPage {
    pub(super) title: Option<String>,
    /// Paragraphs, entries of lists and rows of tables.
    pub(super) paragraphs: Vec<String>,
}

pub(super) fn plain(text: &str) -> PlainPage {
    let mut page = PlainPage { title: None, paragraphs: Vec::new() };
    let mut open = String::new();
    let mut is_heading = false;
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => (is_heading, open) = (true, String::new()),
            Event::Text(part) | Event::Code(part) => open.push_str(&part),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => open.push(' '),
            Event::End(TagEnd::Heading(_)) => {
                is_heading = false;
                let words = std::mem::take(&mut open);
                page.title.get_or_insert(words);
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow | TagEnd::CodeBlock)
                if !is_heading =>
            {
                let words = std::mem::take(&mut open);
                let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                page.paragraphs.extend(Some(words).filter(|words| !words.is_empty()));
            }
            _ => {}
        }
    }
    page
}

pub(super) fn address_of(file: &str, anchor: &str) -> String {
    let stem = file.trim_end_matches(".md");
    let stem = stem.strip_suffix("/README").or((stem == "README").then_some("")).unwrap_or(stem);
    let place = if stem.is_empty() { "/docs".to_owned() } else { format!("/docs/{stem}") };
    if anchor.is_empty() { place } else { format!("{place}#{anchor}") }
}

/// The anchors of a page's headings, as forges make them.
struct Headings {
    first: Option<String>,
    anchors: std::vec::IntoIter<String>,
}

impl Headings {
    fn of(events: &[Event<'_>]) -> Self {
        let mut texts = Vec::new();
        let mut open: Option<String> = None;
        for event in events {
            match event {
                Event::Start(Tag::Heading { .. }) => open = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => texts.extend(open.take()),
                Event::Text(part) | Event::Code(part) => {
                    if let Some(text) = &mut open {
                        text.push_str(part);
                    }
                }
                _ => {}
            }
        }
        let mut anchors: Vec<String> = Vec::new();
        for text in &texts {
            let plain = anchor(text);
            let taken = anchors.iter().filter(|one| **one == plain).count();
            anchors.push(if taken == 0 { plain } else { format!("{plain}-{taken}") });
        }
        Self { first: texts.into_iter().next(), anchors: anchors.into_iter() }
    }

    fn next_anchor(&mut self) -> Option<String> {
        self.anchors.next()
    }
}

fn anchor(text: &str) -> String {
    let kept = text
        .to_lowercase()
        .chars()
        .filter(|one| one.is_alphanumeric() || " -_".contains(*one))
        .collect::<String>();
    kept.trim().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_files_are_links_between_pages() {
        let page = render(
            "# T\n[a](../concepts.md#path-of-a-call) ![p](../pictures/x.svg) [e](https://example.org)",
            "how-to/a.md",
        );
        assert!(page.html.contains("href=\"/docs/concepts#path-of-a-call\""), "{}", page.html);
        assert!(
            page.html.contains("src=\"/docs/pictures/x.svg\"") && page.html.contains("https://example.org")
        );
        assert_eq!(page.title, "T");
    }

    #[test]
    fn a_folder_is_its_readme() {
        assert_eq!(address_of("reference/errors/README.md", ""), "/docs/reference/errors");
        assert_eq!(address_of("README.md", "top"), "/docs#top");
    }

    #[test]
    fn the_contents_are_the_links_of_the_index_under_their_headings() {
        let index = "# Docs\n[project](https://example.org)\n## Start\n- [Quick *start*](quick-start.md)\n## How to\n\
                     - [Cursor](how-to/cursor.md)\n- [again](quick-start.md#later)\n## Nothing\n";
        let chapters = contents(index);
        let told: Vec<(&str, Vec<&str>)> = chapters
            .iter()
            .map(|chapter| {
                (chapter.name.as_str(), chapter.links.iter().map(|link| link.text.as_str()).collect())
            })
            .collect();
        assert_eq!(told, [("Start", vec!["Quick start"]), ("How to", vec!["Cursor"])]);
    }

    #[test]
    fn html_in_a_page_stays_text() {
        let page = render("<script>alert(1)</script>\n\nand <b>bold</b>", "a.md");
        assert!(!page.html.contains("<script") && !page.html.contains("<b>"), "{}", page.html);
    }

    #[test]
    fn headings_have_the_anchors_of_a_forge() {
        let page = render("# One: `two`\n## Again\n## Again\n", "a.md");
        for id in ["id=\"one-two\"", "id=\"again\"", "id=\"again-1\""] {
            assert!(page.html.contains(id), "{id}: {}", page.html);
        }
    }
}
