//! The misdeeds against one call, by the name of the tool.

use std::time::Duration;

/// The size that is too large.
pub(super) const HUGE_BYTES: usize = 50 << 20;
/// The output of a chatty server to its standard error in one call.
pub(super) const CHATTER_BYTES: usize = 20 << 20;
/// The pace of a body that never ends.
pub(super) const DRIP: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misdeed {
    /// Takes the call and does not answer.
    Hang,
    /// Sends half of the answer.
    Half,
    /// Sends half of the answer and ends the process.
    HalfExit,
    /// Answers a request that was never made, and this one not at all.
    Stranger,
    Twice,
    /// Sends notifications without end.
    Flood,
    /// Sends 50 MiB as one answer.
    Huge,
    /// Sends 50 MiB as one event of a stream.
    HugeEvent,
    /// Ends the process.
    Exit,
    /// Prints text outside of the protocol, then answers.
    Garbage,
    /// Answers with neither a result nor an error.
    Shapeless,
    /// Writes a lot to standard error, then answers.
    Chatter,
    /// Leaves a process behind that outlives it if it can, then answers.
    Grandchild,
    /// Asks the user something and leaves before the answer.
    AskExit,
    /// HTTP: answers 500.
    Status500,
    /// HTTP: answers 401.
    Status401,
    /// HTTP: answers with a redirect.
    Redirect,
    /// HTTP: answers with a web page.
    WrongType,
    /// HTTP: closes the connection in the middle of the body.
    Cut,
    /// HTTP: sends the body one byte at a time.
    Loris,
    /// HTTP: declares a body shorter than it is.
    Short,
}

pub(super) const TOOLS: [(&str, Misdeed); 21] = [
    ("hang", Misdeed::Hang),
    ("half", Misdeed::Half),
    ("half_exit", Misdeed::HalfExit),
    ("stranger", Misdeed::Stranger),
    ("twice", Misdeed::Twice),
    ("flood", Misdeed::Flood),
    ("huge", Misdeed::Huge),
    ("huge_event", Misdeed::HugeEvent),
    ("exit", Misdeed::Exit),
    ("garbage", Misdeed::Garbage),
    ("shapeless", Misdeed::Shapeless),
    ("chatter", Misdeed::Chatter),
    ("grandchild", Misdeed::Grandchild),
    ("ask_exit", Misdeed::AskExit),
    ("status_500", Misdeed::Status500),
    ("status_401", Misdeed::Status401),
    ("redirect", Misdeed::Redirect),
    ("wrong_type", Misdeed::WrongType),
    ("cut", Misdeed::Cut),
    ("loris", Misdeed::Loris),
    ("short", Misdeed::Short),
];

/// The time that a question stays open before its asker leaves.
pub(super) const LINGER: Duration = Duration::from_millis(300);

/// Text that no client of the protocol can parse.
pub(super) const GARBAGE: &str = "Server listening on stdin...\n{\"half\": \n[1,2\n\u{0}\u{1}\nnull\n";
