//! What happened in a page, in sentences. Text of pages is data: quoted, cut, and without control characters.

use capability_browser::{DialogKind, News};

/// Sentences about news in one answer.
const NEWS_MAX: usize = 8;
/// Errors of scripts among them.
const SCRIPT_ERRORS_MAX: usize = 2;
const QUOTE_CHARS_MAX: usize = 160;

/// One line for each piece of news, oldest first. `mask` takes secrets out of a page's words before they are cut.
pub(crate) fn news(all: &[News], mask: impl Fn(String) -> String) -> Vec<String> {
    let quote = |text: &str| quoted(&mask(text.to_owned()));
    let mut errors = 0;
    let mut lines: Vec<String> = Vec::new();
    let mut left_out = 0;
    for one in all {
        errors += usize::from(matches!(one, News::ConsoleError(_)));
        let is_noise = matches!(one, News::ConsoleError(_)) && errors > SCRIPT_ERRORS_MAX;
        let line = sentence(one, &quote);
        match lines.len() < NEWS_MAX && !is_noise {
            true if !lines.contains(&line) => lines.push(line),
            true => {}
            false => left_out += 1,
        }
    }
    if left_out > 0 {
        lines.push(format!("({left_out} more events are left out.)"));
    }
    lines
}

fn sentence(news: &News, quote: &dyn Fn(&str) -> String) -> String {
    match news {
        News::Dialog { kind, message, answered } => {
            format!("The page showed {} {}; it was {answered}.", dialog(*kind), quote(message))
        }
        News::DownloadStarted { name } => format!("A download began: {}.", quote(name)),
        News::DownloadDone { name, bytes } => {
            format!("Downloaded {} ({}). The tool downloads returns it.", quote(name), size(*bytes))
        }
        News::DownloadRefused { name, why } => format!("The download {} was refused: {why}.", quote(name)),
        News::Popup { tab, url } => {
            format!("The page opened tab {tab}: {}. Select it with tabs.", quote(url))
        }
        News::PopupRefused { url } => format!("The page wanted to open {}; it was refused.", quote(url)),
        News::TabClosed { tab, why } => format!("Tab {tab} was closed: {why}."),
        News::Crashed { tab: Some(tab) } => format!("The page in tab {tab} crashed. Navigate again."),
        News::Crashed { tab: None } => {
            "The browser crashed and was started again; all pages and cookies are gone.".to_owned()
        }
        News::Blocked { url, why } => format!("{} was blocked: {why}.", quote(url)),
        News::Stopped { tab, why } => format!("The page in tab {tab} was stopped: {why}."),
        News::ConsoleError(message) => format!("The page's script failed: {}.", quote(message)),
    }
}

fn dialog(kind: DialogKind) -> &'static str {
    match kind {
        DialogKind::Alert => "an alert",
        DialogKind::Confirm => "a question",
        DialogKind::Prompt => "a prompt",
        DialogKind::BeforeUnload => "a warning about leaving",
    }
}

/// Words of a page.
pub(crate) fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let plain = words.join(" ").replace('"', "'");
    match plain.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("\"{}…\"", &plain[..end]),
        None => format!("\"{plain}\""),
    }
}

/// A number of things, such as `1 field` and `2 fields`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A number of bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNIT: u64 = 1024;
    match bytes {
        0..UNIT => format!("{bytes} bytes"),
        UNIT..1_048_576 => format!("{} KiB", bytes.div_ceil(UNIT)),
        _ => format!("{:.1} MiB", bytes as f64 / (UNIT * UNIT) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_page_stay_within_their_quotation_marks() {
        assert_eq!(quoted("say \"yes\"\n\u{1b}[31m now"), "\"say 'yes' [31m now\"");
        let long = quoted(&"é".repeat(500));
        assert_eq!(long.chars().count(), QUOTE_CHARS_MAX + 3, "{long}");
    }

    #[test]
    fn a_flood_of_news_is_counted() {
        let flood: Vec<News> = (0..100)
            .map(|at| News::Dialog { kind: DialogKind::Alert, message: at.to_string(), answered: "accepted" })
            .collect();
        let lines = news(&flood, |text| text);
        assert_eq!(lines.len(), NEWS_MAX + 1);
        assert_eq!(lines[0], "The page showed an alert \"0\"; it was accepted.");
        assert_eq!(lines[NEWS_MAX], "(92 more events are left out.)");
    }

    #[test]
    fn a_secret_is_masked_before_its_end_is_cut_off() {
        let secret = "s3cr3t-value";
        let message = format!("{}{secret}", "x".repeat(QUOTE_CHARS_MAX - 6));
        let lines = news(&[News::ConsoleError(message)], |text| text.replace(secret, "[secret]"));
        assert!(!lines[0].contains("s3cr3t"), "{lines:?}");
    }

    #[test]
    fn sizes_are_for_people() {
        assert_eq!([size(12), size(1025), size(3 << 20)], ["12 bytes", "2 KiB", "3.0 MiB"]);
    }
}
