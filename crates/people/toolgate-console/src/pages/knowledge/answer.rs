//! An answer: passages with their sentences, each with a link to the page that draws it where it stands.

use maud::{Markup, html};

use super::data::{BaseAnswerData, PassageData, PassageSentenceData, WrittenAnswerData};
use crate::parts::{self, links, text};

const SENTENCE_CHARS: usize = 2_000;
const PATH_CHARS: usize = 200;

pub(super) fn show(data: &BaseAnswerData, call: &str) -> Markup {
    html! {
        section.card #answer aria-labelledby="answer-title" tabindex="-1" {
            h2 #answer-title { @if data.found { "Answer" } @else { "Nothing found" } }
            @for warning in &data.warnings { p.notice { (text::long(warning)) } }
            @if let Some(written) = &data.answer { (written_answer(data, written)) }
            @if !data.found { p { "The documents do not answer this in the manner " (text::short(&data.manner)) "." } }
            @for passage in &data.passages { (passage_shown(passage)) }
            @if data.left_out > 0 { p.cut { (parts::number(data.left_out)) " more passages did not fit." } }
            p.help { "Recorded as call " (links::id(call)) }
        }
    }
}

/// The words of a model, with the marks of the sentences that they rest on.
fn written_answer(data: &BaseAnswerData, written: &WrittenAnswerData) -> Markup {
    let is_there = |mark: u32| {
        let mut sentences = data.passages.iter().flat_map(|passage| &passage.sentences);
        sentences.any(|sentence| sentence.mark == Some(mark))
    };
    html! {
        @if !written.sentences.is_empty() {
            p {
                @for sentence in &written.sentences {
                    (text::cut(&sentence.text, SENTENCE_CHARS)) " "
                    @for mark in sentence.marks.iter().filter(|mark| is_there(**mark)) { a href={ "#mark-" (mark) } { "[" (mark) "]" } " " }
                }
            }
            p.help { "Written by " (links::model(&written.model)) ". It keeps only sentences whose sources are listed below." }
        }
    }
}

fn passage_shown(passage: &PassageData) -> Markup {
    html! {
        article.passage aria-label=(text::made_visible(&passage.path)) {
            h3 {
                (text::cut(&passage.path, PATH_CHARS))
                @if let Some(page) = passage.page { span.soft { ", page " (page) } }
            }
            p.help {
                (links::pointer(&passage.pointer.namespace, &passage.pointer.name))
                @for heading in &passage.headings { " › " (text::short(heading)) }
            }
            blockquote.cited { @for one in &passage.sentences { (sentence(one)) " " } }
        }
    }
}

fn sentence(one: &PassageSentenceData) -> Markup {
    let name = one.mark.map_or("cited".to_owned(), |mark| mark.to_string());
    html! {
        span id=[one.mark.map(|mark| format!("mark-{mark}"))] { (text::cut(&one.text, SENTENCE_CHARS)) }
        @if let Some(citation) = &one.citation { " " a href=(citation.address()) title="On its page" { "[" (name) "]" } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn answer(found: bool, passages: Value) -> BaseAnswerData {
        let data = json!({ "found": found, "manner": "legal-citations", "passages": passages,
            "answer": { "model": "gpt", "sentences": [{ "text": "Thirty days.", "marks": [1, 9] }] } });
        serde_json::from_value(data).expect("an answer")
    }

    #[test]
    fn each_sentence_leads_to_its_page_and_nothing_in_it_acts() {
        let passages = json!([{ "pointer": { "namespace": "legal", "name": "contracts" }, "path": "<b>lease</b>.pdf",
            "page": 1, "headings": ["<i>Notice</i>"], "score": 1.0, "sentences": [{ "text": "</span><script>x()</script>", "mark": 1,
            "citation": { "artifact": "ab", "docir": "cd", "item": "#/texts/3", "start": 0, "end": 9, "quads": [],
            "quote": { "exact": "x", "prefix": "", "suffix": "" }, "address": "javascript:x()" } }] }]);
        let shown = show(&answer(true, passages), "tc_1").into_string();
        assert!(shown.contains("/console/citations?artifact=ab&amp;docir=cd&amp;item=%23"), "{shown}");
        assert!(shown.contains("href=\"#mark-1\"") && shown.contains("id=\"mark-1\""), "{shown}");
        assert!(!shown.contains("#mark-9"), "a mark that is not there is no link: {shown}");
        for evil in ["<script", "javascript:", "<b>", "<i>"] {
            assert!(!shown.contains(evil), "{evil}: {shown}");
        }
        assert!(shown.contains("/console/calls/tc_1"), "{shown}");
    }

    #[test]
    fn nothing_found_is_said_so() {
        let shown = show(&answer(false, json!([])), "tc_1").into_string();
        assert!(shown.contains("Nothing found") && !shown.contains("<article"), "{shown}");
    }
}
