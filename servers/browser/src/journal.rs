//! What is remembered of a context for its next answer: news, refusals of the proxy, dialogs and how to answer them.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::news::{DialogAnswer, DialogKind, News};

/// News that wait to be told; the oldest are left out.
const NEWS_MAX: usize = 64;
/// Connections that failed and may explain why a page did not load.
const FAILURES_MAX: usize = 64;
/// Texts of pages in news.
const TEXT_CHARS_MAX: usize = 300;

#[derive(Default)]
pub(crate) struct Journal(Mutex<JournalState>);

#[derive(Default)]
struct JournalState {
    news: VecDeque<News>,
    failures: VecDeque<DialFailure>,
    /// Counts failures, so that those of one navigation can be told from earlier ones.
    failed: u64,
    dialogs: usize,
    popups_refused: usize,
    next_answer: Option<DialogAnswer>,
}

/// A connection that the proxy did not make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DialFailure {
    number: u64,
    pub(crate) url: String,
    pub(crate) why: String,
    pub(crate) kind: FailureKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailureKind {
    Refused,
    Unreachable,
}

impl Journal {
    pub(crate) fn push(&self, news: News) {
        let mut state = self.0.lock();
        if state.news.len() == NEWS_MAX {
            state.news.pop_front();
        }
        state.news.push_back(news);
    }

    /// Since the last call, oldest first.
    pub(crate) fn take(&self) -> Vec<News> {
        self.0.lock().news.drain(..).collect()
    }

    /// A page may try the same address a thousand times; it is told once.
    pub(crate) fn blocked(&self, url: &str, why: &str) {
        self.fail(url, why, FailureKind::Refused);
        self.push_once(News::Blocked { url: cut(url), why: why.to_owned() });
    }

    /// Unless the same already waits to be told.
    pub(crate) fn push_once(&self, news: News) {
        let is_told = self.0.lock().news.contains(&news);
        if !is_told {
            self.push(news);
        }
    }

    pub(crate) fn unreachable(&self, url: &str, why: &str) {
        self.fail(url, why, FailureKind::Unreachable);
    }

    fn fail(&self, url: &str, why: &str, kind: FailureKind) {
        let mut state = self.0.lock();
        state.failed += 1;
        let failure = DialFailure { number: state.failed, url: cut(url), why: why.to_owned(), kind };
        if state.failures.len() == FAILURES_MAX {
            state.failures.pop_front();
        }
        state.failures.push_back(failure);
    }

    /// The number of failures so far.
    pub(crate) fn failed(&self) -> u64 {
        self.0.lock().failed
    }

    /// Those after a number, latest first.
    pub(crate) fn failures_after(&self, number: u64) -> Vec<DialFailure> {
        let state = self.0.lock();
        state.failures.iter().rev().take_while(|failure| failure.number > number).cloned().collect()
    }

    /// An action begins: dialogs and popups are counted anew.
    pub(crate) fn begin_action(&self) {
        let mut state = self.0.lock();
        state.dialogs = 0;
        state.popups_refused = 0;
    }

    pub(crate) fn set_answer(&self, answer: DialogAnswer) {
        self.0.lock().next_answer = Some(answer);
    }

    /// The answer to a dialog that just opened, and how many there were in this action.
    pub(crate) fn dialog(&self, kind: DialogKind, message: &str) -> (DialogAnswer, usize) {
        let (answer, count) = {
            let mut state = self.0.lock();
            state.dialogs += 1;
            let answer = match kind {
                // Nothing is asked; and a page must not hold a tab that is to leave it.
                DialogKind::Alert | DialogKind::BeforeUnload => DialogAnswer::Accept(None),
                DialogKind::Confirm | DialogKind::Prompt => {
                    state.next_answer.take().unwrap_or(DialogAnswer::Dismiss)
                }
            };
            (answer, state.dialogs)
        };
        let answered = match &answer {
            DialogAnswer::Accept(_) => "accepted",
            DialogAnswer::Dismiss => "dismissed",
        };
        self.push(News::Dialog { kind, message: cut(message), answered });
        (answer, count)
    }

    /// How many popups were refused in this action.
    pub(crate) fn popup_refused(&self, url: &str) -> usize {
        let count = {
            let mut state = self.0.lock();
            state.popups_refused += 1;
            state.popups_refused
        };
        if count == 1 {
            self.push(News::PopupRefused { url: cut(url) });
        }
        count
    }
}

/// The beginning of a page's text.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_bounded_told_once_and_the_same_refusal_is_one() {
        let journal = Journal::default();
        for _ in 0..1000 {
            journal.blocked("http://a.example/", "it is not allowed");
        }
        assert_eq!(journal.take().len(), 1);
        assert!(journal.take().is_empty());
        for number in 0..1000 {
            journal.push(News::ConsoleError(number.to_string()));
        }
        let news = journal.take();
        assert_eq!((news.len(), news.last().cloned()), (NEWS_MAX, Some(News::ConsoleError("999".into()))));
    }

    #[test]
    fn only_failures_of_this_navigation_explain_it() {
        let journal = Journal::default();
        journal.blocked("http://old.example/", "x");
        let before = journal.failed();
        journal.unreachable("http://new.example/", "y");
        let urls: Vec<String> = journal.failures_after(before).into_iter().map(|one| one.url).collect();
        assert_eq!(urls, ["http://new.example/"]);
    }

    #[test]
    fn a_question_is_dismissed_unless_an_answer_was_given_which_serves_once() {
        let journal = Journal::default();
        journal.set_answer(DialogAnswer::Accept(Some("yes".into())));
        assert_eq!(journal.dialog(DialogKind::Alert, "a").0, DialogAnswer::Accept(None));
        assert_eq!(journal.dialog(DialogKind::Prompt, "b"), (DialogAnswer::Accept(Some("yes".into())), 2));
        assert_eq!(journal.dialog(DialogKind::Confirm, "c"), (DialogAnswer::Dismiss, 3));
        journal.begin_action();
        assert_eq!(journal.dialog(DialogKind::Confirm, "d").1, 1);
    }
}
