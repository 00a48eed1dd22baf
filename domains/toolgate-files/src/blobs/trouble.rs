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
    static TALLY: TryTally;
}

/// Counted by the connection itself, for the storage's client does not tell.
#[derive(Default)]
struct TryTally {
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

fn note(what: impl FnOnce(&TryTally)) {
    // Streams are read outside of any count.
    TALLY.try_with(what).unwrap_or_default();
}

/// Uses the storage, and counts the attempts.
pub(super) async fn tallied<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, StorageTrouble> {
    let since = Instant::now();
    let counted = async {
        let done = work.await;
        done.map_err(|error| {
            let (tries, status) = TALLY.with(|tally| (tally.tries.get(), tally.status.get()));
            StorageTrouble { tries, elapsed: since.elapsed(), ..StorageTrouble::with_status(&error, status) }
        })
    };
    TALLY.scope(TryTally::default(), counted).await
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct StorageTrouble {
    cause: TroubleCause,
    tries: usize,
    elapsed: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum TroubleCause {
    /// There is no such object.
    Missing,
    /// It does not let the gateway in.
    Refused,
    Answered(StatusCode),
    Silent,
    /// There is no connection to it.
    Unreachable(Option<toolgate_outbound::ConnectTrouble>),
    /// The file system's own words.
    Local(String),
    Other,
}

impl StorageTrouble {
    pub(super) fn of(error: &Error) -> Self {
        Self::with_status(error, None)
    }

    fn with_status(error: &Error, status: Option<StatusCode>) -> Self {
        let cause = match error {
            Error::NotFound { .. } => TroubleCause::Missing,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => TroubleCause::Refused,
            error => match (source::<HttpError>(error), source::<std::io::Error>(error), status) {
                (Some(error), ..) if error.kind() == HttpErrorKind::Connect => {
                    TroubleCause::Unreachable(toolgate_outbound::ConnectTrouble::of(error))
                }
                (Some(_), ..) => TroubleCause::Silent,
                (None, Some(error), _) => TroubleCause::Local(error.to_string()),
                (None, None, Some(status)) if !status.is_success() => TroubleCause::Answered(status),
                _ => TroubleCause::Other,
            },
        };
        Self { cause, tries: 0, elapsed: Duration::ZERO }
    }

    pub(super) fn is_missing(&self) -> bool {
        self.cause == TroubleCause::Missing
    }

    /// `doing` names the attempt, as in "cannot …".
    pub(super) fn refusal(&self, doing: &'static str) -> Refusal {
        tracing::warn!(cause = ?self.cause, tries = self.tries, elapsed = ?self.elapsed, "cannot {doing}");
        Refusal::new(&codes::STORAGE_DOWN, self.message()).hint(self.hint())
    }

    pub(super) fn message(&self) -> String {
        match &self.cause {
            TroubleCause::Silent | TroubleCause::Unreachable(None) => {
                format!("the storage did not answer{}", self.effort())
            }
            TroubleCause::Unreachable(Some(trouble)) => {
                format!("the storage did not answer{}: {}", self.effort(), trouble.phrase())
            }
            TroubleCause::Answered(status) => {
                let status = status.as_u16();
                format!("the storage did not answer{} but with HTTP status {status}", self.effort())
            }
            TroubleCause::Refused => "the storage does not let the gateway in".to_owned(),
            TroubleCause::Local(cause) => format!("the folder of the files cannot be used: {cause}"),
            TroubleCause::Missing => "the storage does not have these bytes".to_owned(),
            TroubleCause::Other => "the storage answered something that makes no sense".to_owned(),
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
            TroubleCause::Unreachable(Some(trouble)) => trouble.advice(),
            TroubleCause::Silent | TroubleCause::Unreachable(None) | TroubleCause::Answered(_) => {
                "try again later; an operator can see to it that `files.url` can be reached from the gateway"
            }
            TroubleCause::Refused => {
                "an operator has to check the access key, the secret key and what they may do in the bucket"
            }
            TroubleCause::Local(_) => {
                "an operator has to look after the folder: its owner, its mode and the space on its disk"
            }
            TroubleCause::Missing | TroubleCause::Other => {
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
