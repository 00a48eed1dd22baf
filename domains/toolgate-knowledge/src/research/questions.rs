//! Sub-questions about a topic: what its facets ask for, and what one asks about anything.

use super::facets::{FacetKind, SubjectFacet};

/// Questions about anything, and the words to search for beside the topic.
const PATTERNS: [(&str, &str); 6] = [
    ("What is {topic}?", "definition means"),
    ("Which rules and requirements apply to {topic}?", "must shall required requirement"),
    ("Who is responsible for {topic}?", "responsible duty in charge"),
    ("When does {topic} apply, and for how long?", "date deadline period days term"),
    ("What does {topic} cost or amount to?", "amount price fee cost percent"),
    ("Which exceptions to {topic} are there?", "except unless exempt not apply"),
];
/// Longer topics are cut in the question, not in the search.
const TOPIC_CHARS_MAX: usize = 120;

/// A question that a walk asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SubQuestion {
    pub(crate) question: String,
    /// The words that are searched for.
    pub(crate) query: String,
    pub(crate) origin: QuestionOrigin,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QuestionOrigin {
    Heading,
    Phrase,
    Pattern,
}

impl QuestionOrigin {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            QuestionOrigin::Heading => "heading",
            QuestionOrigin::Phrase => "phrase",
            QuestionOrigin::Pattern => "pattern",
        }
    }
}

/// As many questions as asked for: the first pattern, then facets and patterns in turn.
pub(crate) fn sub_questions(topic: &str, facets: &[SubjectFacet], count: usize) -> Vec<SubQuestion> {
    let mut patterns = PATTERNS.iter().map(|(question, words)| of_pattern(topic, question, words));
    let mut facets = facets.iter().map(|facet| of_facet(topic, facet));
    let mut questions: Vec<SubQuestion> = patterns.next().into_iter().collect();
    while questions.len() < count {
        let before = questions.len();
        questions.extend(facets.next());
        questions.extend(patterns.next());
        if questions.len() == before {
            break;
        }
    }
    questions.truncate(count);
    questions
}

fn of_pattern(topic: &str, question: &str, words: &str) -> SubQuestion {
    SubQuestion {
        question: question.replace("{topic}", &shown(topic)),
        query: format!("{topic} {words}"),
        origin: QuestionOrigin::Pattern,
    }
}

fn of_facet(topic: &str, facet: &SubjectFacet) -> SubQuestion {
    SubQuestion {
        question: format!("{}: what is said about {}?", shown(topic), facet.text),
        query: format!("{topic} {}", facet.text),
        origin: match facet.kind {
            FacetKind::Heading => QuestionOrigin::Heading,
            FacetKind::Phrase => QuestionOrigin::Phrase,
        },
    }
}

fn shown(topic: &str) -> String {
    let topic = topic.trim().trim_end_matches(['?', '.', '!']);
    topic.chars().take(TOPIC_CHARS_MAX).collect()
}
