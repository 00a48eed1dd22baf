//! The main text of a page as Markdown.

use capability_kit::Trouble;
use serde::Deserialize;
use serde_json::json;

use super::ask::read_answer;
use super::tokens::tokens;
use crate::context::BrowserContext;
use crate::frame::Frame;
use crate::tab::Tab;

/// Characters of a token, at the most that prose has.
const TOKEN_CHARS: usize = 6;
/// Characters below which a page is taken for a frame around others.
const THIN_CHARS: usize = 400;
const FRAMES_MAX: usize = 6;

/// The text of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadPage {
    /// Markdown, with the page's title and address in its first line.
    pub text: String,
    pub title: String,
    pub url: String,
    /// The length of the whole text.
    pub characters: usize,
    /// False if the text was cut.
    pub complete: bool,
}

#[derive(Deserialize)]
struct ReadAnswer {
    title: String,
    url: String,
    markdown: String,
    characters: usize,
    more: bool,
}

pub async fn read_page(tab: &Tab, context: &BrowserContext, max_tokens: usize) -> Result<ReadPage, Trouble> {
    let frames = tab.frames().await;
    let Some(main) = frames.first() else {
        return Err(Trouble::bad_arguments("the tab has no page yet").hint("navigate first"));
    };
    let mut answer = read_frame(tab, context, main, max_tokens).await?;
    if answer.markdown.len() < THIN_CHARS {
        for frame in frames.iter().skip(1).take(FRAMES_MAX) {
            let Ok(inner) = read_frame(tab, context, frame, max_tokens).await else { continue };
            if !inner.markdown.is_empty() {
                answer.markdown =
                    format!("{}\n\n(frame {})\n\n{}", answer.markdown, frame.label, inner.markdown);
                answer.characters += inner.characters;
                answer.more |= inner.more;
            }
        }
    }
    Ok(told(answer, max_tokens, |text| context.mask(text)))
}

async fn read_frame(
    tab: &Tab,
    context: &BrowserContext,
    frame: &Frame,
    max_tokens: usize,
) -> Result<ReadAnswer, Trouble> {
    let argument = json!({ "hide": context.secrets(), "max": max_tokens.saturating_mul(TOKEN_CHARS) });
    read_answer(tab, frame, "read", &argument).await
}

fn told(answer: ReadAnswer, max_tokens: usize, mask: impl Fn(String) -> String) -> ReadPage {
    let head = match answer.title.is_empty() {
        true => format!("Page: {}", answer.url),
        false => format!("Page: {} ({})", answer.title, answer.url),
    };
    let whole = mask(answer.markdown);
    let (kept, is_whole) = cut(&whole, max_tokens.saturating_sub(tokens(&head) + 20));
    let complete = is_whole && !answer.more;
    let end = match complete {
        _ if whole.is_empty() => "\n\n(the page has no text)".to_owned(),
        true => String::new(),
        false => format!("\n\n… cut: {} of {} characters", kept.chars().count(), answer.characters),
    };
    ReadPage {
        text: format!("{}\n\n{kept}{end}", mask(head)),
        title: answer.title,
        url: answer.url,
        characters: answer.characters,
        complete,
    }
}

/// As many paragraphs as fit; the beginning of the first if none does.
fn cut(markdown: &str, max_tokens: usize) -> (String, bool) {
    let mut kept = String::new();
    let mut spent = 0;
    for line in markdown.split_inclusive('\n') {
        let cost = tokens(line);
        if spent + cost > max_tokens {
            if kept.is_empty() {
                kept = line.chars().take(max_tokens * 3).collect();
            }
            return (kept.trim_end().to_owned(), false);
        }
        spent += cost;
        kept.push_str(line);
    }
    (kept.trim_end().to_owned(), true)
}
