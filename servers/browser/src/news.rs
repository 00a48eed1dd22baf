//! What happened in a context besides what was asked for.

/// Told once, with the next answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    Dialog {
        kind: DialogKind,
        message: String,
        answered: &'static str,
    },
    DownloadStarted {
        name: String,
    },
    DownloadDone {
        name: String,
        bytes: u64,
    },
    DownloadRefused {
        name: String,
        why: String,
    },
    /// A page opened another tab.
    Popup {
        tab: String,
        url: String,
    },
    PopupRefused {
        url: String,
    },
    /// A tab is gone: closed by its page, or by a limit.
    TabClosed {
        tab: String,
        why: String,
    },
    /// The renderer of a tab, or the whole browser, is gone.
    Crashed {
        tab: Option<String>,
    },
    /// Something that was not loaded, because it may not be.
    Blocked {
        url: String,
        why: String,
    },
    /// The page was stopped.
    Stopped {
        tab: String,
        why: String,
    },
    ConsoleError(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DialogKind {
    Alert,
    Confirm,
    Prompt,
    BeforeUnload,
}

/// The answer to the next dialog that asks something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DialogAnswer {
    /// With the text of a prompt.
    Accept(Option<String>),
    Dismiss,
}
