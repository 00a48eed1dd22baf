//! Codes of claims and their evidence.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { CLAIMS, "Claims and evidence";

    UNKNOWN_CLAIM = Code {
        name: "unknown_claim",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such claim",
        happened: "No claim has this id.",
        advice: "`toolgate claim list` shows the existing ones.",
        message: "there is no claim \"clm_019a6f\"",
        hint: Hint::Standard("claim.list shows those there are"),
        see: &["unknown_claim_type"],
    };

    UNKNOWN_CLAIM_TYPE = Code {
        name: "unknown_claim_type",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such type of claims",
        happened: "No type of claims has this name, or the type has no such way to resolve a claim.",
        advice: "`toolgate claim type list` shows the types and their options. An operator registers others with `toolgate claim type put`.",
        message: "there is no type of claims \"covenant\"",
        hint: Hint::Standard("claim.type.list shows the types and their options"),
        see: &["unknown_claim"],
    };

    CLAIM_TYPE_CONFLICT = Code {
        name: "claim_type_conflict",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The type of claims is another one than was expected",
        happened: "There is a type of this name that differs, it has another version than `expected_version` says, or there are as many types as the gateway keeps.",
        advice: "Look at the type as it is now. To change it, give `expected_version`, its current version.",
        message: "there is a type \"covenant\" already, at version 2, and it differs",
        hint: Hint::Example("give `expected_version` 2 to change it, or choose another name"),
        see: &["unknown_claim_type"],
    };

    CLAIM_STATE = Code {
        name: "claim_state",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The claim is not in a state for this",
        happened: "A claim is submitted before it is decided, a decision that still holds is not made again, and a claim that another one superseded does not change.",
        advice: "Look at the claim's state. New evidence or a new revision lets a decided claim be decided again.",
        message: "the claim clm_019a6f is draft, and only a submitted claim is decided",
        hint: Hint::Standard("claim.get shows its state"),
        see: &["claim_stale"],
    };

    CLAIM_STALE = Code {
        name: "claim_stale",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(412), CodeChannel::Result],
        title: "The claim or its evidence has changed meanwhile",
        happened: "The claim has another revision or other evidence than the caller, or the people who agreed, saw. Nothing was done.",
        advice: "Look at the claim as it is now, and decide again.",
        message: "the claim clm_019a6f is at revision 3 now",
        hint: Hint::Standard("look at it with claim.get, and decide again"),
        see: &["stale", "claim_state"],
    };

    OWN_CLAIM = Code {
        name: "own_claim",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403), CodeChannel::Result],
        title: "Nobody decides on a claim of their own",
        happened: "The caller wrote the claim, or a revision of it.",
        advice: "Another principal must review and decide it.",
        message: "finder-bot wrote the claim clm_019a6f and does not decide on it",
        hint: Hint::Standard("another principal must decide on it"),
        see: &["approval_excluded"],
    };

    NOT_YOUR_CLAIM = Code {
        name: "not_your_claim",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403), CodeChannel::Result],
        title: "Only authors and operators change a claim",
        happened: "Another principal wrote the claim.",
        advice: "Link evidence to it, or make a claim of your own and let an operator supersede the other one.",
        message: "the claim clm_019a6f is of finder-bot",
        hint: Hint::Standard("link evidence to it with claim.link_evidence, or make a claim of your own"),
        see: &["own_claim"],
    };

    EVIDENCE_ABSENT = Code {
        name: "evidence_absent",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The quotation does not stand in the document",
        happened: "The document does not say these words within one paragraph, cell or list item. White space, ligatures, dashes, quotation marks and words \
             broken over lines make no difference; everything else does. Nothing was linked.",
        advice: "Quote the document word for word. `document.parse` shows its text.",
        message: "the document does not say \"the rent is waived\"",
        hint: Hint::Standard("quote the document word for word, from one paragraph"),
        see: &["evidence_ambiguous", "unknown_citation"],
    };

    EVIDENCE_AMBIGUOUS = Code {
        name: "evidence_ambiguous",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The quotation stands at several places",
        happened: "The document says these words more than once, and neither the span nor the words around them tell which place is meant. Nothing was linked.",
        advice: "Give `item`, `start` and `end`, or the words before and after as `prefix` and `suffix`.",
        message: "the document says \"thirty days after the notice\" at 2 places",
        hint: Hint::Standard("give `item`, `start` and `end`, or `prefix` and `suffix`"),
        see: &["evidence_absent"],
    };

    EVIDENCE_RUN = Code {
        name: "evidence_run",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The run is no evidence of a calculation",
        happened: "The evidence of a calculation is a run that has completed. This one has not, or it did not end well. Nothing was linked.",
        advice: "Wait for the run, or name one that completed.",
        message: "the run run_019a6f is failed",
        hint: Hint::Standard("name a run that has completed"),
        see: &["unknown_run"],
    };

    CLAIM_TOO_LARGE = Code {
        name: "claim_too_large",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "The claim has as much as a claim can have",
        happened: "A claim has at most 200 revisions, 200 pieces of evidence and 100 decisions.",
        advice: "Make a new claim, and supersede this one with it.",
        message: "the claim clm_019a6f has 200 pieces of evidence, which is the limit",
        hint: Hint::Standard("make a new claim, and supersede this one with it"),
        see: &["claim_state"],
    };
}
