//! The progress of a transfer, for people: a line on the terminal that is written over and over. A log gets none of it.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use toolgate_store::{CopyProgress, TransferPhase};

use super::shown;
use crate::output::write_talk;

const PAUSE: Duration = Duration::from_millis(200);

pub(super) struct TransferLine {
    on_terminal: bool,
    told_at: Option<Instant>,
}

impl TransferLine {
    pub(super) fn new() -> Self {
        Self { on_terminal: std::io::stderr().is_terminal(), told_at: None }
    }

    pub(super) fn at(&mut self, progress: CopyProgress<'_>) {
        let is_time = self.told_at.is_none_or(|at| at.elapsed() >= PAUSE);
        if self.on_terminal && is_time {
            self.told_at = Some(Instant::now());
            write_talk(format_args!("\r\u{1b}[K{} …", line(progress)));
        }
    }

    pub(super) fn clear(&self) {
        if self.told_at.is_some() {
            write_talk(format_args!("\r\u{1b}[K"));
        }
    }
}

fn line(progress: CopyProgress<'_>) -> String {
    let CopyProgress { phase, table, rows } = progress;
    match phase {
        TransferPhase::Verifying => format!("verifying the ledger: {}", shown::several(rows, "event")),
        TransferPhase::Copying => format!("copying {table}: {}", shown::several(rows, "row")),
        TransferPhase::Comparing => format!("comparing {table}: {}", shown::several(rows, "row")),
        TransferPhase::VerifyingCopy => {
            format!("verifying the copy of the ledger: {}", shown::several(rows, "event"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_the_table_and_counts_its_rows() {
        let progress = CopyProgress { phase: TransferPhase::Copying, table: "runs", rows: 1_200 };
        assert_eq!(line(progress), "copying runs: 1,200 rows");
        let progress = CopyProgress { phase: TransferPhase::VerifyingCopy, table: "", rows: 1 };
        assert_eq!(line(progress), "verifying the copy of the ledger: 1 event");
    }
}
