//! The errors of a storage, and the number of attempts. The storage's own messages are not passed on: they
//! may contain keys.

use std::cell::Cell;
use std::future::Future;
use std::time::{Duration, Instant};

use ::http::StatusCode;
use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};
use toolgate_core::Refusal;
use toolgate_core::codes;

tokio::task_local! {
    static TALLY: Tally;
}

/// Counted by the connection itself, for the storage's client does not tell.
#[derive(Default)]
struct Tally {
    tries: Cell<usize>,
    status: Cell<Option<StatusCode>>,
}

/// Counts one more request of the current operation.
pub(super) fn count_try() {
    note(|tally| tally.tries.set(tally.tries.get() + 1));
}

pub(super) fn note_status(status: StatusCode) {
    note(|tally| tally.status.set(Some(status)));
}

fn note(what: impl FnOnce(&Tally)) {
    // Streams are read outside of any count.
    TALLY.try_with(what).unwrap_or_default();
}

/// Uses the storage, and counts the attempts.
pub(super) async fn tallied<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Trouble> {
    let since = Instant::now();
    let counted = async {
        let done = work.await;
        done.map_err(|error| {
            let (tries, status) = TALLY.with(|tally| (tally.tries.get(), tally.status.get()));
            Trouble { tries, elapsed: since.elapsed(), ..Trouble::with_status(&error, status) }
        })
    };
    TALLY.scope(Tally::default(), counted).await
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Trouble {
    cause: Cause,
    tries: usize,
    elapsed: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Cause {
    /// There is no such object.
    Missing,
    /// It does not let the gateway in.
    Refused,
    Answered(StatusCode),
    Silent,
    /// There is no connection to it.
    Unreachable(Option<toolgate_outbound::Trouble>),
    /// The file system's own words.
    Local(String),
    Other,
}

impl Trouble {
    pub(super) fn of(error: &Error) -> Self {
        Self::with_status(error, None)
    }

    fn with_status(error: &Error, status: Option<StatusCode>) -> Self {
        let cause = match error {
            Error::NotFound { .. } => Cause::Missing,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Cause::Refused,
            error => match (source::<HttpError>(error), source::<std::io::Error>(error), status) {
                (Some(error), ..) if error.kind() == HttpErrorKind::Connect => {
                    Cause::Unreachable(toolgate_outbound::Trouble::of(error))
                }
                (Some(_), ..) => Cause::Silent,
                (None, Some(error), _) => Cause::Local(error.to_string()),
                (None, None, Some(status)) if !status.is_success() => Cause::Answered(status),
                _ => Cause::Other,
            },
        };
        Self { cause, tries: 0, elapsed: Duration::ZERO }
    }

    pub(super) fn is_missing(&self) -> bool {
        self.cause == Cause::Missing
    }

    /// `doing` names the attempt, as in "cannot …".
    pub(super) fn refusal(&self, doing: &'static str) -> Refusal {
        tracing::warn!(cause = ?self.cause, tries = self.tries, elapsed = ?self.elapsed, "cannot {doing}");
        Refusal::new(&codes::STORAGE_DOWN, self.message()).hint(self.hint())
    }

    pub(super) fn message(&self) -> String {
        match &self.cause {
            Cause::Silent | Cause::Unreachable(None) => {
                format!("the storage did not answer{}", self.effort())
            }
            Cause::Unreachable(Some(trouble)) => {
                format!("the storage did not answer{}: {}", self.effort(), trouble.phrase())
            }
            Cause::Answered(status) => {
                let status = status.as_u16();
                format!("the storage did not answer{} but with HTTP status {status}", self.effort())
            }
            Cause::Refused => "the storage does not let the gateway in".to_owned(),
            Cause::Local(cause) => format!("the folder of the files cannot be used: {cause}"),
            Cause::Missing => "the storage does not have these bytes".to_owned(),
            Cause::Other => "the storage answered something that makes no sense".to_owned(),
        }
    }

    /// The attempts that were made, if counted.
    fn effort(&self) -> String {
        let seconds = self.elapsed.as_secs_f32();
        match self.tries {
            0 => String::new(),
            1 => format!(" after one try in {seconds:.1} s"),
            tries => format!(" after {tries} tries in {seconds:.1} s"),
        }
    }

    fn hint(&self) -> &'static str {
        match &self.cause {
            Cause::Unreachable(Some(trouble)) => trouble.advice(),
            Cause::Silent | Cause::Unreachable(None) | Cause::Answered(_) => {
                "try again later; an operator can see to it that `files.url` can be reached from the gateway"
            }
            Cause::Refused => {
                "an operator has to check the access key, the secret key and what they may do in the bucket"
            }
            Cause::Local(_) => {
                "an operator has to look after the folder: its owner, its mode and the space on its disk"
            }
            Cause::Missing | Cause::Other => {
                "an operator has to check that `files.url` names the right storage"
            }
        }
    }
}

/// The first cause of this kind.
fn source<T: std::error::Error + 'static>(error: &Error) -> Option<&T> {
    let mut current: &(dyn std::error::Error + 'static) = error;
    loop {
        if let Some(found) = current.downcast_ref::<T>() {
            return Some(found);
        }
        current = current.source()?;
    }
}
