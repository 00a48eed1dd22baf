//! Codes that only pages of the console show.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { CONSOLE, "Console";

    ANSWER_UNREADABLE = Code {
        name: "answer_unreadable",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Console],
        title: "The page could not be built",
        happened: "The console got an answer from the gateway that it could not read.",
        advice: "Open the page again; the REST API has the same data. The gateway's log says more.",
        message: "this page could not be built from the gateway's answer",
        hint: Hint::Standard("the gateway's log says more; the REST API has the same data"),
        see: &["store_down"],
    };

    FORM_FOREIGN = Code {
        name: "form_foreign",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Console],
        title: "The form does not come from your login",
        happened: "The hidden token of the form does not match the login: the page was opened before you logged in \
             again, or the form was sent from another site.",
        advice: "Open the page again and send the form from there.",
        message: "this form does not come from your login",
        hint: Hint::Standard("open the page again and send the form from there"),
        see: &["form_invalid"],
    };

    FORM_INVALID = Code {
        name: "form_invalid",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Console],
        title: "A field of the form is not valid",
        happened: "A field of the form is missing or invalid.",
        advice: "Go back, correct the field and send the form again.",
        message: "the form cannot be read",
        hint: Hint::None,
        see: &["form_foreign"],
    };
}
