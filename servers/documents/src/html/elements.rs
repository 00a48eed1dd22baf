//! The meaning of elements for text.

use html5ever::tokenizer::Tag;

use super::attribute;

/// Elements without an end.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Elements that begin a line of their own.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
            | "listing"
            | "title"
    )
}

/// Elements whose content is not text to read.
pub(super) fn is_unread(name: &str) -> bool {
    matches!(
        name,
        "audio"
            | "button"
            | "canvas"
            | "datalist"
            | "iframe"
            | "map"
            | "noembed"
            | "noframes"
            | "noscript"
            | "object"
            | "rp"
            | "rt"
            | "script"
            | "select"
            | "style"
            | "svg"
            | "template"
            | "textarea"
            | "video"
    )
}

/// True if the page hides it from readers.
pub(super) fn is_hidden(tag: &Tag) -> bool {
    let style = attribute(tag, "style").unwrap_or_default().to_ascii_lowercase();
    let style: String = style.chars().filter(|character| !character.is_whitespace()).collect();
    attribute(tag, "hidden").is_some_and(|hidden| hidden != "until-found")
        || attribute(tag, "aria-hidden") == Some("true")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

pub(super) fn heading_level(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Elements that a start tag ends without an end tag, and the boundary of the search for them.
pub(super) fn implied_ends(name: &str) -> Option<(&'static [&'static str], &'static [&'static str])> {
    match name {
        "li" => Some((&["li"], &["ul", "ol", "menu", "dir", "td", "th", "table"])),
        "dt" | "dd" => Some((&["dt", "dd"], &["dl", "td", "th", "table"])),
        "td" | "th" => Some((&["td", "th", "caption"], &["tr", "table"])),
        "tr" => Some((&["tr", "caption"], &["table"])),
        "thead" | "tbody" | "tfoot" => Some((&["thead", "tbody", "tfoot", "caption"], &["table"])),
        _ if is_block(name) => Some((&["p"], &["td", "th", "table", "li", "div", "button"])),
        _ => None,
    }
}

/// The boundary of an end tag.
pub(super) fn scope(name: &str) -> &'static [&'static str] {
    match name {
        "table" => &[],
        "tr" | "td" | "th" | "thead" | "tbody" | "tfoot" | "caption" => &["table"],
        _ => &["td", "th", "table"],
    }
}
