//! Codes of credentials that agents use by handle.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { CREDENTIALS, "Credentials by handle";

    UNKNOWN_CREDENTIAL = Code {
        name: "unknown_credential",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such credential",
        happened: "No credential has this handle, or its owner did not name this caller as a user. Both cases get the \
             same answer.",
        advice: "Use a handle that you were given, or have its owner name you as a user.",
        message: "there is no credential cred_019a…",
        hint: Hint::Standard("an operator sees with `toolgate credentials list` which there are, and who may use them"),
        see: &["credential_erased", "credential_not_for_server"],
    };

    BAD_CREDENTIAL_HANDLE = Code {
        name: "bad_credential_handle",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The argument takes the handle of a credential",
        happened: "An argument that takes a secret holds something that is neither a text nor a handle, or the handle \
             does not say which field of the credential is meant, or one call names too many credentials.",
        advice: "Write the handle, a dot and the name of the field, as the message has it.",
        message: "cred_019a… has several fields: password, username",
        hint: Hint::Standard("write the handle, a dot and the name of a field, such as cred_019a….password"),
        see: &["unknown_credential"],
    };

    CREDENTIAL_NOT_FOR_SERVER = Code {
        name: "credential_not_for_server",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The server may not get this credential",
        happened: "A credential goes to the servers that its owner named, and to no other. One whose address is not from \
             the configuration file gets it only if an admin has allowed that too.",
        advice: "Use a tool of a server that is named, or create the credential with this server too.",
        message: "cred_019a… is not for server \"notes\"",
        hint: Hint::Standard("its owner names the servers that may get it when it is created: `--server NAME`"),
        see: &["unknown_credential"],
    };

    CREDENTIAL_EXPIRED = Code {
        name: "credential_expired",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The credential has expired",
        happened: "The credential was created for a limited time, which is over.",
        advice: "Have its owner create another one.",
        message: "cred_019a… has expired at 2026-11-17T23:00:00.000Z",
        hint: Hint::Standard("its owner creates another one with a later end"),
        see: &["credential_erased"],
    };

    CREDENTIAL_ERASED = Code {
        name: "credential_erased",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410), CodeChannel::Result],
        title: "The credential was erased",
        happened: "The credential was removed with its values. Nothing can bring them back.",
        advice: "Have its owner create another one, and use its handle.",
        message: "cred_019a… was erased at 2026-11-17T23:00:00.000Z",
        hint: Hint::Standard("its owner can create another one, and tell you its handle"),
        see: &["unknown_credential", "credential_expired"],
    };

    CREDENTIAL_CHANGED = Code {
        name: "credential_changed",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Result],
        title: "The call names another credential than the one that was judged",
        happened: "An approver or a filter changed the arguments, and they name a credential that policy has not seen in \
             this call. Nothing was sent.",
        advice: "Make the call again with the credential that is meant.",
        message: "cred_019a….password was not in the call when it was judged",
        hint: Hint::Standard("make a new call with that handle, which is judged again"),
        see: &["invalid_edit"],
    };

    CREDENTIAL_UNREADABLE = Code {
        name: "credential_unreadable",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result],
        title: "The value of the credential cannot be read",
        happened: "The vault was sealed with another key, the value was changed behind its back, or the place outside where \
             it is kept does not give it.",
        advice: "The operator gives back the vault's key, or stores the value again with `toolgate credentials rotate`.",
        message: "the value of cred_019a….password cannot be read: the vault was sealed with another key",
        hint: Hint::Standard("nothing was sent; `toolgate doctor` tries the vault and the places outside"),
        see: &["store_down", "configuration.md#vault"],
    };

    CREDENTIAL_INVALID = Code {
        name: "credential_invalid",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The credential cannot be created like this",
        happened: "A name, an origin, a field, a user or a server of it is missing or not valid. The message says which.",
        advice: "Correct what the message names.",
        message: "\"http://jobs.example\" is no origin for a credential: values go over https, or to this machine",
        hint: Hint::Example("write scheme, host and port, such as https://jobs.example"),
        see: &["credential_taken", "secret_invalid"],
    };

    CREDENTIAL_TAKEN = Code {
        name: "credential_taken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "Another credential has this name",
        happened: "Names of credentials are unique, so that people know which one is meant.",
        advice: "Choose another name, or remove the other credential first.",
        message: "there is a credential \"Example Jobs\" already: cred_019a…",
        hint: Hint::Standard("choose another name, rotate the fields of that one, or remove it first"),
        see: &["credential_invalid"],
    };
}
