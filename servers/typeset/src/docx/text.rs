//! Runs of text as a DOCX has them.

use docx_rs::{BreakType, Footnote, Hyperlink, HyperlinkType, Paragraph, Run as DocxRun};

use crate::article::{StyledText, TextRun};
use crate::docx::sheet;

/// Adds the runs of a text to a paragraph.
pub(super) fn add(mut paragraph: Paragraph, text: &StyledText) -> Paragraph {
    for run in &text.0 {
        paragraph = match &run.link {
            Some(link) => {
                let link = Hyperlink::new(link, HyperlinkType::External);
                paragraph.add_hyperlink(link.add_run(set(run).style(sheet::LINK)))
            }
            None => paragraph.add_run(set(run)),
        };
        if let Some(note) = &run.note {
            let content = add(Paragraph::new().style(sheet::NOTE), &without_notes(note));
            paragraph = paragraph
                .add_run(DocxRun::new().add_footnote_reference(Footnote::new().add_content(content)));
        }
    }
    paragraph
}

fn without_notes(text: &StyledText) -> StyledText {
    StyledText(text.0.iter().map(|run| TextRun { note: None, ..run.clone() }).collect())
}

fn set(run: &TextRun) -> DocxRun {
    let mut made = lines(DocxRun::new(), &run.text);
    if run.code {
        made = made.style(sheet::CODE_RUN);
    }
    if run.bold {
        made = made.bold();
    }
    if run.italic {
        made = made.italic();
    }
    if run.strike {
        made = made.strike();
    }
    made
}

/// A new line is a break within the paragraph.
pub(super) fn lines(mut run: DocxRun, text: &str) -> DocxRun {
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            run = run.add_break(BreakType::TextWrapping);
        }
        if !line.is_empty() {
            run = run.add_text(line);
        }
    }
    run
}
