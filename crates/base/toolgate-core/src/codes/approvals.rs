//! Codes of approvals and grants.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { APPROVALS, "Approvals and grants";

    PENDING_APPROVAL = Code {
        name: "pending_approval",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result],
        title: "A person has to agree first",
        happened: "A gate stopped the call and people were asked, but they did not decide while the call was held; or \
             they agreed after the caller had stopped waiting. `approval_id` names what waits.",
        advice: "Tell the user, and repeat exactly the same call later: it attaches to the approval, runs once if \
             people agreed, and is refused if they did not. People decide in the console's inbox, with `toolgate \
             approvals`, by REST or by webhook.",
        message: "not run yet: this call of bank__transfer waits for approval apr_019a…",
        hint: Hint::Standard("do not look for another way to the same end; repeat exactly the same call in a minute or later: it attaches to \
             this approval, runs once if people agreed, and hears it if they did not"),
        see: &["approval_denied", "expired", "configuration.md#approvals"],
    };

    APPROVAL_DENIED = Code {
        name: "approval_denied",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "A person said no",
        happened: "An approver denied the call; `why` has their reason. If the denial came after the call had been \
             answered, the next identical call reports it, once.",
        advice: "Do not make the same call again unless something has changed: the approvers would be asked again.",
        message: "not run: ann said no to this call of bank__transfer",
        hint: Hint::Standard("do not make the same call again unless something has changed: the approvers would be asked again; do not look for \
             another way to the same end"),
        see: &["changes_requested", "denied"],
    };

    CHANGES_REQUESTED = Code {
        name: "changes_requested",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "A person wants something else proposed",
        happened: "An approver sent the call back; `why` says what should be different.",
        advice: "Change the arguments and call again.",
        message: "not run: ann wants another proposal than this call of bank__transfer",
        hint: Hint::Standard("change the arguments as the reason says and call again, which asks the approvers again; do not repeat it unchanged"),
        see: &["approval_denied"],
    };

    EXPIRED = Code {
        name: "expired",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Result],
        title: "The time to decide ran out",
        happened: "The time to decide ran out, which counts as a denial; or the approval was given and not used in time.",
        advice: "Ask the user before you call again, which asks the same people again.",
        message: "not run: no approver decided in time on this call of bank__transfer, which means no (approval apr_019a…, ended \
             2026-08-01 12:00 UTC)",
        hint: Hint::Standard("do not ask again unchanged by yourself: the same call again asks the same people again, so ask the user first"),
        see: &["pending_approval", "approval_expired", "configuration.md#approvals"],
    };

    UNDER_WAY = Code {
        name: "under_way",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result],
        title: "The same call is already running",
        happened: "The call was approved and sent, and has not ended yet.",
        advice: "Repeat exactly the same call. It is not sent a second time; it waits for the result.",
        message: "people agreed to this call of bank__transfer, and it runs as tc_019a…",
        hint: Hint::Standard("repeat exactly the same call in a moment: it is not sent again, and gets the result"),
        see: &["ran_before", "pending_approval"],
    };

    RAN_BEFORE = Code {
        name: "ran_before",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The same call was sent before",
        happened: "The same call was approved and sent, and its caller did not learn how it ended. Its result is not \
             kept, or it is not known whether it took effect. Nothing was sent again.",
        advice: "Check whether the call took effect. Repeating the same call asks the approvers again.",
        message: "this call of bank__transfer was sent before, as tc_019a…, after people had agreed: whether it took effect \
             is not known",
        hint: Hint::Standard("look for its effect before you make the same call again, which asks the approvers again"),
        see: &["under_way", "not_approved"],
    };

    NOT_APPROVED = Code {
        name: "not_approved",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Result],
        title: "The approval does not cover this call",
        happened: "An approval exists, but not for the call as it is now: the arguments, the file, the tool's version \
             or the policies have changed, or the approval was already used.",
        advice: "Call again, which asks the approvers again.",
        message: "the call as it stands now needs other people's approval",
        hint: Hint::Standard("call again, which asks the approvers again"),
        see: &["approval_changed", "invalid_edit"],
    };

    HIDDEN_FROM_APPROVERS = Code {
        name: "hidden_from_approvers",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "Approvers would not see part of the call",
        happened: "A gate stopped the call, and an argument contains something that is hidden from people although no \
             key and no rule marks it as a secret: what looks like a credential, or binary content. No one was asked.",
        advice: "Pass the credential in an argument that is named for it (`token`, `password`), let the operator give \
             it to the server, or leave it out. Pass binary content as a file.",
        message: "people must agree to this call, and `/command` holds what looks like a credential (bearer token), which \
             they would not see",
        hint: Hint::Example("leave it out of the text: give it in an argument that is named for it, such as `token`, or have the \
             operator give it to the server"),
        see: &["pending_approval", "configuration.md#redact"],
    };

    INVALID_EDIT = Code {
        name: "invalid_edit",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Result],
        title: "The arguments as an approver edited them cannot be used",
        happened: "An approver changed the arguments, and they no longer fit the tool.",
        advice: "Call again, which asks the approvers again.",
        message: "the arguments as they were edited do not fit the tool",
        hint: Hint::Standard("call again, which asks the approvers again"),
        see: &["invalid_arguments", "approval_not_editable"],
    };

    APPROVAL_SETTLED = Code {
        name: "approval_settled",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The approval is already decided",
        happened: "Another approver decided first, or the decision contradicts an earlier one. `state` has the current state.",
        advice: "Nothing needs to be done: the earlier decision stands.",
        message: "the approval is already approved",
        hint: Hint::Standard("the earlier decision stands"),
        see: &["approval_expired"],
    };

    APPROVAL_EXPIRED = Code {
        name: "approval_expired",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The approval has expired",
        happened: "The approval was not decided in time, which counts as a denial.",
        advice: "The caller can repeat its call, which asks the approvers again.",
        message: "the time to decide is over",
        hint: Hint::Standard("the caller can repeat its call, which asks the approvers again"),
        see: &["expired"],
    };

    APPROVAL_CHANGED = Code {
        name: "approval_changed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The approval was given for another call",
        happened: "The approval is bound to a tool version, arguments, files and policy, and one of them has changed since.",
        advice: "The caller can repeat its call, which asks the approvers again.",
        message: "the approval was given for another call",
        hint: Hint::Standard("the caller can repeat its call, which asks the approvers again"),
        see: &["tool_changed", "not_approved"],
    };

    APPROVAL_EDITED = Code {
        name: "approval_edited",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The arguments were changed in the meantime",
        happened: "Another approver edited the arguments after they were shown: `effective` of the decision differs \
             from that of the approval, or is missing. An approval counts only for what the approver saw.",
        advice: "Read the approval again and decide on what would run now, with its `effective`.",
        message: "the arguments were changed meanwhile: what would run is not what you were shown",
        hint: Hint::Standard("look at the approval as it is now, and decide with its `effective`"),
        see: &["approval_changed", "approval_settled"],
    };

    APPROVAL_WITHDRAWN = Code {
        name: "approval_withdrawn",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The request for approval was withdrawn",
        happened: "The caller cancelled the call, the policies that asked for approval have changed, or the definition \
             of the tool has (`by_caller`, `policies_changed`, `tool_changed`). `withdrawn` of the approval says which. \
             Nothing runs under it.",
        advice: "Nothing needs to be done. If policies have changed and the call still waits, a new approval is requested \
             under those in force. If the tool has changed, look at it with `toolgate tools diff`; a new call asks again.",
        message: "the request was withdrawn: the policies that asked for approval have changed",
        hint: Hint::Standard("a call that still waits is asked about again by itself; look into the inbox"),
        see: &["approval_settled", "approval_changed"],
    };

    APPROVAL_REQUESTER = Code {
        name: "approval_requester",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "Requesters may not approve their own calls",
        happened: "The call is made for the same person who tried to decide on it.",
        advice: "Another person must decide.",
        message: "the requester of a call may not approve it",
        hint: Hint::Standard("another person must decide"),
        see: &["approval_not_a_person"],
    };

    APPROVAL_EXCLUDED = Code {
        name: "approval_excluded",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "Authors may not approve a decision on their own work",
        happened: "The call decides on something that this person wrote, such as a claim.",
        advice: "Another person must decide.",
        message: "your own work is judged here, so another person must decide",
        hint: Hint::Standard("another person must decide"),
        see: &["approval_requester", "own_claim"],
    };

    PERSON_UNKNOWN = Code {
        name: "person_unknown",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The webhook does not speak for this person",
        happened: "A decision came in through a webhook, and names a person who is not in the `persons` of that webhook.",
        advice: "Add the person to `persons` of the webhook, or decide with a token of their own.",
        message: "the webhook slack does not speak for \"zoe\"",
        hint: Hint::Standard("the operator names those it speaks for in `persons` of its `[[webhooks]]`"),
        see: &["approval_not_in_group", "configuration.md#webhooks"],
    };

    APPROVAL_NOT_A_PERSON = Code {
        name: "approval_not_a_person",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "Only people may approve",
        happened: "The token belongs to an agent or a service.",
        advice: "Decide with the token of a person.",
        message: "only people may approve",
        hint: Hint::Standard("decide with the token of a person"),
        see: &["approval_requester", "wrong_role"],
    };

    APPROVAL_NOT_IN_GROUP = Code {
        name: "approval_not_in_group",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "You are in none of the approver groups",
        happened: "The gate names groups of approvers (`@approvers`), and the token carries none of them.",
        advice: "`requirement.approvers` of the approval says whose agreement is needed. `toolgate token \
             create --group NAME` makes a token that carries a group.",
        message: "none of the groups that must agree is yours",
        hint: Hint::Standard("the approval's `requirement.approvers` says whose agreement is needed"),
        see: &["wrong_role"],
    };

    APPROVAL_NOT_EDITABLE = Code {
        name: "approval_not_editable",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The arguments may not be edited",
        happened: "Not all of the gates that stopped the call have `@editable`.",
        advice: "Approve or deny the call as it is, or ask for changes.",
        message: "the policy does not let approvers change the arguments",
        hint: Hint::Standard("approve or deny it as it is, or ask for changes"),
        see: &["invalid_edit"],
    };

    SECRET_IN_EDIT = Code {
        name: "secret_in_edit",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The edit changes a redacted value",
        happened: "Part of the arguments is redacted, and the edited arguments have another value there.",
        advice: "Leave redacted values as they are shown and change the others.",
        message: "a secret cannot be put into a call by editing it",
        hint: Hint::Example("leave redacted values as they are and change the others"),
        see: &["approval_not_editable"],
    };

    REASON_MISSING = Code {
        name: "reason_missing",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "Asking for changes needs a reason",
        happened: "The decision `changes` came without a reason that says what should be different.",
        advice: "Give a `reason`.",
        message: "asking for changes needs a reason",
        hint: Hint::Example("say what should be different"),
        see: &["changes_requested"],
    };

    PIN_UNKNOWN = Code {
        name: "pin_unknown",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The grant pins an argument that is not there",
        happened: "The request for a grant (\"don't ask again\") has a pin that names no argument of this call.",
        advice: "Pin arguments by paths that the call has, such as `/account`.",
        message: "there is no argument at \"/acount\" to pin, or it is redacted",
        hint: Hint::Example("a pin is a JSON pointer such as /account"),
        see: &["pins_missing"],
    };

    PINS_MISSING = Code {
        name: "pins_missing",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "A grant needs pins",
        happened: "The request for a grant (\"don't ask again\") has an empty list of pins, which would let any \
             arguments through.",
        advice: "Pin the arguments that must stay the same, or leave `pins` out to pin all of them.",
        message: "a grant without pins would let any arguments through",
        hint: Hint::Example("leave `pins` out to pin all of them"),
        see: &["pin_unknown"],
    };

    GRANT_TOO_LONG = Code {
        name: "grant_too_long",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The grant would last too long",
        happened: "The request for a grant (\"don't ask again\") asks for more time than a grant may last.",
        advice: "Choose a shorter time.",
        message: "a grant may hold for 366 days at most",
        hint: Hint::None,
        see: &["grant_ended"],
    };

    GRANT_NEEDS_QUORUM_OF_ONE = Code {
        name: "grant_needs_quorum_of_one",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "One approver alone may not create this grant",
        happened: "The gate needs more than one approver, so one of them alone cannot say \"don't ask again\".",
        advice: "Approve without a grant.",
        message: "\"don't ask again\" can be said only where one person's word is enough",
        hint: Hint::None,
        see: &["approval_not_in_group"],
    };

    GRANT_ENDED = Code {
        name: "grant_ended",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The grant has already ended",
        happened: "The grant is used up, expired or revoked.",
        advice: "Nothing needs to be done.",
        message: "grant grt_019a… was used up, has expired or was revoked before",
        hint: Hint::Standard("nothing needs to be done"),
        see: &["grant_too_long"],
    };
}
