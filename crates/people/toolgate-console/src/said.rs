//! The confirmation of the last action, on the page that is shown after it. An address can only name one of
//! these.

/// The action that was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Said {
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
    Cancelled,
    Saved,
    Removed,
    TokenRevoked,
    SessionClosed,
    TestSent,
}

impl Said {
    pub(crate) const PARAMETER: &str = "said";
    const ALL: [(Said, &'static str, &'static str); 18] = [
        (Said::Approved, "approved", "Approved. The call runs now, or when its caller sends it again."),
        (Said::Denied, "denied", "Denied. The caller sees your reason."),
        (Said::ChangesRequested, "changes", "Changes requested. The caller sees what to change."),
        (
            Said::Counted,
            "counted",
            "Your approval is recorded. Others must approve too before the call runs.",
        ),
        (
            Said::Granted,
            "granted",
            "Approved. Calls like this no longer need approval; Grants lists the grant.",
        ),
        (Said::Answered, "answered", "Answered. The run continues."),
        (Said::Decided, "decided", "Decided."),
        (Said::GrantRevoked, "grant-revoked", "Revoked. The next such call needs approval again."),
        (Said::Accepted, "accepted", "Accepted. Agents see the tool's current definition."),
        (Said::Rejected, "rejected", "Rejected. The tool stays withheld."),
        (Said::Paused, "paused", "Paused. Calls in progress finish; no new call starts."),
        (Said::Resumed, "resumed", "Resumed. The run continues."),
        (Said::Cancelled, "cancelled", "Cancelled."),
        (Said::Saved, "saved", "Saved."),
        (Said::Removed, "removed", "Removed."),
        (Said::TokenRevoked, "token-revoked", "Revoked. The token stops working within a second."),
        (Said::SessionClosed, "session-closed", "Closed. Its tokens no longer work."),
        (Said::TestSent, "test-sent", "The test was delivered."),
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

    fn entry(fits: impl Fn(&(Said, &str, &str)) -> bool) -> Option<(Said, &'static str, &'static str)> {
        Self::ALL.into_iter().find(|one| fits(one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_told() {
        assert!(Said::told_in("/console/inbox?said=approved").is_some());
        assert_eq!(Said::told_in("/console/inbox?said=<b>pwned</b>"), None);
        assert_eq!(Said::told_in("/console/inbox"), None);
    }

    #[test]
    fn every_word_has_its_sentence() {
        for (said, word, _) in Said::ALL {
            assert_eq!(said.as_str(), word);
        }
    }
}
