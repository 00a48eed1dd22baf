//! The confirmation of the last action, on the page that is shown after it. An address can only name one of
//! these.

/// The action that was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DoneNotice {
    Approved,
    Denied,
    ChangesRequested,
    /// One approval of several that are needed.
    Counted,
    /// Approved, and not to be asked about again.
    Granted,
    Answered,
    Decided,
    GrantRevoked,
    Accepted,
    Rejected,
    Paused,
    Resumed,
    AutomationPaused,
    AutomationResumed,
    Cancelled,
    PointerMoved,
    Saved,
    Removed,
    Restarted,
    ServerDisabled,
    ServerEnabled,
    TokenRevoked,
    SessionClosed,
    TestSent,
    SyncStarted,
    ConnectorWorks,
    RunStarted,
}

impl DoneNotice {
    pub(crate) const PARAMETER: &str = "said";
    const ALL: [(DoneNotice, &'static str, &'static str); 27] = [
        (DoneNotice::Approved, "approved", "Approved. The call runs now, or when its caller sends it again."),
        (DoneNotice::Denied, "denied", "Denied. The caller sees your reason."),
        (DoneNotice::ChangesRequested, "changes", "Changes requested. The caller sees what to change."),
        (
            DoneNotice::Counted,
            "counted",
            "Your approval is recorded. Others must approve too before the call runs.",
        ),
        (
            DoneNotice::Granted,
            "granted",
            "Approved. Calls like this no longer need approval; Grants lists the grant.",
        ),
        (DoneNotice::Answered, "answered", "Answered. The run continues."),
        (DoneNotice::Decided, "decided", "Decided."),
        (DoneNotice::GrantRevoked, "grant-revoked", "Revoked. The next such call needs approval again."),
        (DoneNotice::Accepted, "accepted", "Accepted. Agents see the tool's current definition."),
        (DoneNotice::Rejected, "rejected", "Rejected. The tool stays withheld."),
        (DoneNotice::Paused, "paused", "Paused. Calls in progress finish; no new call starts."),
        (DoneNotice::Resumed, "resumed", "Resumed. The run continues."),
        (
            DoneNotice::AutomationPaused,
            "automation-paused",
            "Paused. Runs in progress continue; no new one starts.",
        ),
        (DoneNotice::AutomationResumed, "automation-resumed", "Resumed. The next trigger starts a run."),
        (DoneNotice::Cancelled, "cancelled", "Cancelled."),
        (DoneNotice::PointerMoved, "pointer-moved", "Moved. The pointer now leads to the new manifest."),
        (DoneNotice::Saved, "saved", "Saved."),
        (DoneNotice::Removed, "removed", "Removed."),
        (
            DoneNotice::Restarted,
            "restarted",
            "The server is restarting. Calls in progress finish first, and new calls wait.",
        ),
        (
            DoneNotice::ServerDisabled,
            "server-disabled",
            "Disabled. Agents no longer see its tools; calls in progress may finish.",
        ),
        (DoneNotice::ServerEnabled, "server-enabled", "Enabled. The gateway starts or contacts it now."),
        (DoneNotice::TokenRevoked, "token-revoked", "Revoked. The token stops working within a second."),
        (DoneNotice::SessionClosed, "session-closed", "Closed. Its tokens no longer work."),
        (DoneNotice::TestSent, "test-sent", "The test was delivered."),
        (DoneNotice::SyncStarted, "sync-started", "The sync started. Its run shows the result."),
        (
            DoneNotice::ConnectorWorks,
            "connector-works",
            "The connector works: the provider returned a page of records.",
        ),
        (DoneNotice::RunStarted, "run-started", "Started. This page follows the run."),
    ];

    pub(crate) fn as_str(self) -> &'static str {
        Self::entry(|one| one.0 == self).map_or("", |(_, word, _)| word)
    }

    /// The sentence for the action that an address names.
    pub(crate) fn told_in(place: &str) -> Option<&'static str> {
        let (_, query) = place.split_once('?')?;
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        let (_, word) = pairs.find(|(name, _)| name == Self::PARAMETER)?;
        Self::entry(|one| one.1 == word).map(|(_, _, sentence)| sentence)
    }

    fn entry(
        fits: impl Fn(&(DoneNotice, &str, &str)) -> bool,
    ) -> Option<(DoneNotice, &'static str, &'static str)> {
        Self::ALL.into_iter().find(|one| fits(one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_told() {
        assert!(DoneNotice::told_in("/console/inbox?said=approved").is_some());
        assert_eq!(DoneNotice::told_in("/console/inbox?said=<b>pwned</b>"), None);
        assert_eq!(DoneNotice::told_in("/console/inbox"), None);
    }

    #[test]
    fn every_word_has_its_sentence() {
        for (said, word, _) in DoneNotice::ALL {
            assert_eq!(said.as_str(), word);
        }
    }
}
