//! The rule for a start while an earlier run of the same automation has not ended. Pure; the store applies it while it holds the
//! automation.

use toolgate_core::automation::Overlap;
use toolgate_store::{BusyFires, FireVerdict};

pub(crate) fn judge(overlap: Overlap, busy: &BusyFires) -> FireVerdict {
    let is_free = busy.open.is_empty() && busy.starting == 0;
    match overlap {
        Overlap::AllowAll => FireVerdict::Start { cancel: Vec::new() },
        _ if is_free => FireVerdict::Start { cancel: Vec::new() },
        Overlap::Skip => FireVerdict::Skip { reason: not_ended(busy) },
        Overlap::BufferOne if busy.buffered == 0 => FireVerdict::Buffer,
        Overlap::BufferOne => {
            FireVerdict::Skip { reason: format!("{}, and one start waits for that already", not_ended(busy)) }
        }
        // A run that is being started cannot be cancelled yet.
        Overlap::CancelOther if busy.starting > 0 => FireVerdict::Skip { reason: not_ended(busy) },
        Overlap::CancelOther => FireVerdict::Start { cancel: busy.open.clone() },
    }
}

fn not_ended(busy: &BusyFires) -> String {
    match busy.open.first() {
        Some(run) => format!("run {run} had not ended"),
        None => "another run was being started".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::id::RunId;

    use super::*;

    fn busy(open: &[&str], starting: u64, buffered: u64) -> BusyFires {
        BusyFires { open: open.iter().map(|id| RunId::new(*id)).collect(), starting, buffered }
    }

    fn word(overlap: Overlap, busy: &BusyFires) -> String {
        match judge(overlap, busy) {
            FireVerdict::Start { cancel } if cancel.is_empty() => "start".to_owned(),
            FireVerdict::Start { cancel } => format!("cancel {cancel:?}"),
            FireVerdict::Buffer => "buffer".to_owned(),
            FireVerdict::Skip { reason } => format!("skip: {reason}"),
        }
    }

    #[test]
    fn an_automation_with_nothing_open_starts() {
        for overlap in Overlap::ALL {
            assert_eq!(word(overlap, &busy(&[], 0, 0)), "start", "{overlap:?}");
        }
    }

    #[test]
    fn an_open_run_counts_as_the_rule_says() {
        let open = busy(&["run_1"], 0, 0);
        assert_eq!(word(Overlap::Skip, &open), "skip: run run_1 had not ended");
        assert_eq!(word(Overlap::BufferOne, &open), "buffer");
        assert_eq!(word(Overlap::CancelOther, &open), "cancel [run_1]");
        assert_eq!(word(Overlap::AllowAll, &open), "start");
    }

    #[test]
    fn one_start_is_buffered_and_no_more() {
        let full = busy(&["run_1"], 0, 1);
        assert_eq!(
            word(Overlap::BufferOne, &full),
            "skip: run run_1 had not ended, and one start waits for that already"
        );
    }

    #[test]
    fn a_run_that_is_being_started_is_open_too() {
        let starting = busy(&[], 1, 0);
        assert_eq!(word(Overlap::Skip, &starting), "skip: another run was being started");
        assert_eq!(word(Overlap::BufferOne, &starting), "buffer");
        assert_eq!(word(Overlap::CancelOther, &starting), "skip: another run was being started");
        assert_eq!(word(Overlap::AllowAll, &starting), "start");
    }
}
