//! `toolgate ledger …`

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use toolgate_core::event::{DecisionKind, EventFilter, EventKind, Outcome};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId, ServerName};
use toolgate_proof::VerifierKey;

use super::span::{Moment, moment};

#[derive(Subcommand)]
pub(crate) enum LedgerCommand {
    /// Show the last events, oldest first
    #[command(
        after_help = "Examples:\n  toolgate ledger tail --follow\n  toolgate ledger tail --tool bank:transfer --decision deny --since 1d"
    )]
    Tail {
        /// Keep printing new events
        #[arg(long, short)]
        follow: bool,
        /// Number of events
        #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
        limit: u32,
        /// Show what is in the archive, instead of what is in the database
        #[arg(long, conflicts_with = "follow")]
        from_archive: bool,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// Show one call from start to end, with its arguments and result as far as they are kept
    ///
    /// A call that the database no longer has is looked for in the archive, by its whole id, where `[ledger.archive]` is
    /// switched on.
    #[command(after_help = "Example:\n  toolgate ledger show tc_0198f3…\n  toolgate ledger show 3f2a")]
    Show {
        /// Id of the call; for recent calls a beginning or ending of it is enough
        #[arg(value_name = "CALL")]
        call: String,
    },
    /// Verify that nothing was edited, dropped or reordered, in the database and in the archive, and that the ledger is what
    /// checkpoints say of it
    ///
    /// Without --against, the checkpoints in the folder of `[checkpoints]` are used, if there is one.
    #[command(
        after_help = "Examples:\n  toolgate ledger verify && echo untouched\n  toolgate ledger verify --against /mnt/elsewhere/checkpoints --key toolgate+bf07fbe3+Ab2S…"
    )]
    Verify {
        /// A checkpoint, or a folder of checkpoints; may be given several times
        #[arg(long, value_name = "FILE")]
        against: Vec<PathBuf>,
        #[command(flatten)]
        keys: KeyArgs,
        /// Check the events only, not the arguments and results that are kept
        #[arg(long)]
        no_bodies: bool,
    },
    /// Sign a checkpoint of the ledger now
    #[command(after_help = "Example:\n  toolgate ledger checkpoint --output today.checkpoint")]
    Checkpoint {
        /// File to write to, instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Write a small file that proves one call, and shows no other
    #[command(
        after_help = "Examples:\n  toolgate ledger prove tc_0198f3… --output call.proof\n  toolgate ledger prove 3f2a --checkpoint anchored.checkpoint --disclose"
    )]
    Prove {
        /// Id of the call; for recent calls a beginning or ending of it is enough
        #[arg(value_name = "CALL")]
        call: String,
        /// Prove it under this checkpoint, instead of one that is signed now
        #[arg(long, value_name = "FILE")]
        checkpoint: Option<PathBuf>,
        /// Show its arguments and result as well, as far as they are kept
        #[arg(long)]
        disclose: bool,
        /// File to write to, instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check the proof of a call, without a store and without a configuration
    #[command(after_help = "Example:\n  toolgate ledger check call.proof --key toolgate+bf07fbe3+Ab2S…")]
    Check {
        /// The file that `toolgate ledger prove` wrote
        #[arg(value_name = "FILE")]
        proof: PathBuf,
        #[command(flatten)]
        keys: KeyArgs,
    },
    /// Show the public key of checkpoints, or make a key
    #[command(
        after_help = "Examples:\n  toolgate ledger key\n  toolgate ledger key --new /etc/toolgate/checkpoint.key --name example.com/toolgate"
    )]
    Key {
        /// Make a key in this file, which must not exist
        #[arg(long, value_name = "FILE")]
        new: Option<PathBuf>,
        /// Name of the new key, which every checkpoint begins with
        #[arg(long, value_name = "NAME", default_value = "toolgate", requires = "new")]
        name: String,
    },
    /// Export events as JSON, one object per line
    #[command(
        after_help = "Example:\n  toolgate ledger export --format cloudevents --since 2026-08-01 --output august.jsonl"
    )]
    Export {
        /// Format of each event
        #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
        format: ExportFormat,
        /// File to write to, instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Export what is in the archive, instead of what is in the database
        #[arg(long)]
        from_archive: bool,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// Erase the arguments and results of a principal's calls
    ///
    /// Deletes what is kept of the content of the calls: arguments, results, the parts that were taken out of
    /// results, results under ids of clients, and the arguments that approvers were shown. The events stay, with the
    /// principal's name, and the ledger still verifies. The erasure is recorded. It cannot be undone.
    #[command(
        after_help = "Examples:\n  toolgate ledger erase --principal ann --dry-run\n  toolgate ledger erase --principal ann --reason \"request 4711\" --yes"
    )]
    Erase(EraseArgs),
    /// Archive days that are over as Parquet files beside the files; see `[ledger.archive]`
    #[command(
        after_help = "Examples:\n  toolgate ledger archive --dry-run\n  toolgate ledger archive --day 2026-08-01\n  toolgate ledger archive list"
    )]
    Archive(ArchiveArgs),
}

#[derive(Args)]
pub(crate) struct EraseArgs {
    /// Principal whose calls they are
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: String,
    /// Only calls of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only this call
    #[arg(long, value_name = "ID")]
    pub(crate) call: Option<String>,
    /// Reason, for the ledger
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Count what would be erased, and erase nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Erase without asking
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ArchiveArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ArchiveCommand>,
    /// Archive up to the end of this day, instead of the last one that `[ledger.archive]` allows
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) day: Option<i64>,
    /// Say what would be archived, and archive nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Clone, Copy, Subcommand)]
pub(crate) enum ArchiveCommand {
    /// List the segments of the archive
    List,
    /// Write damaged and missing segments again, as far as the database has their lines
    Repair,
    /// Make the index again from the segments that are there
    Reindex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Events as the ledger stores them
    Jsonl,
    /// CloudEvents 1.0
    Cloudevents,
}

/// The public keys that are trusted.
#[derive(Args, Default)]
pub(crate) struct KeyArgs {
    /// Public key, as `toolgate ledger key` prints it; may be given several times
    #[arg(long = "key", value_name = "KEY", value_parser = public_key)]
    pub(crate) keys: Vec<VerifierKey>,
}

/// Selects events; options that are left out match anything.
#[derive(Args, Default)]
pub(crate) struct FilterArgs {
    /// Canonical name, such as bank:transfer
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Principal that did it
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// Server of the tool
    #[arg(long, value_name = "NAME", value_parser = server)]
    server: Option<ServerName>,
    /// Only events of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only events of this run
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Only events of this call
    #[arg(long, value_name = "ID")]
    call: Option<String>,
    /// Outcome of the call
    #[arg(long, value_parser = words(Outcome::ALL, Outcome::as_str), hide_possible_values = true)]
    outcome: Option<Outcome>,
    /// Decision of the policy
    #[arg(long, value_parser = words(DecisionKind::ALL, DecisionKind::as_str))]
    decision: Option<DecisionKind>,
    /// Kind of event, such as tool.call.completed
    #[arg(long, value_parser = words(EventKind::ALL, EventKind::as_str), hide_possible_values = true)]
    kind: Option<EventKind>,
    /// Start of the period: a span before now such as 1h, a day, or a time
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    since: Option<Moment>,
    /// End of the period (exclusive)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    until: Option<Moment>,
}

impl FilterArgs {
    pub(crate) fn resolve(self, now_ms: i64) -> EventFilter {
        EventFilter {
            from_ms: self.since.map(|moment| moment.from(now_ms)),
            until_ms: self.until.map(|moment| moment.from(now_ms)),
            kind: self.kind,
            principal: self.principal.map(|name| PrincipalId::new(&name)),
            session: self.session.map(SessionId::new),
            run: self.run.map(RunId::new),
            call: self.call.map(CallId::new),
            tool: self.tool.map(|name| CanonicalName::recorded(&name)),
            server: self.server,
            outcomes: self.outcome.into_iter().collect(),
            error: None,
            decision: self.decision,
        }
    }
}

fn public_key(text: &str) -> Result<VerifierKey, String> {
    text.parse::<VerifierKey>().map_err(|bad| bad.to_string())
}

/// Days since 1970.
fn day(text: &str) -> Result<i64, String> {
    toolgate_archive::day_of_text(text).ok_or_else(|| "expected a day such as 2026-08-01".to_owned())
}

fn server(name: &str) -> Result<ServerName, String> {
    ServerName::new(name).map_err(|bad| bad.to_string())
}

/// One of a fixed vocabulary, so that a typo gets a suggestion and a shell can complete.
fn words<T: Copy + Send + Sync>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(move |word| name(*word))).map(move |text| {
        let found = all.iter().copied().find(|word| name(*word) == text);
        found.expect("only these words are let in")
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parse(words: &str) -> Result<LedgerCommand, String> {
        let cli = Cli::try_parse_from(["toolgate", "ledger"].into_iter().chain(words.split_whitespace()));
        match cli.map_err(|error| error.to_string())?.command {
            Command::Ledger(command) => Ok(command),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn every_filter_is_read() {
        let words = "tail -f -n 5 --tool bank:transfer --principal ann --server bank --session ses_1 --run run_1 \
                     --call tc_1 --outcome tool_error --decision deny --kind tool.call.completed --since 1h \
                     --until 1970-01-02";
        let Ok(LedgerCommand::Tail { follow, limit, from_archive, filter }) = parse(words) else {
            panic!("a tail")
        };
        assert!(follow && limit == 5 && !from_archive);
        let expected = EventFilter {
            from_ms: Some(400_000),
            until_ms: Some(86_400_000),
            kind: Some(EventKind::CallCompleted),
            principal: Some(PrincipalId::new("ann")),
            session: Some(SessionId::new("ses_1")),
            run: Some(RunId::new("run_1")),
            call: Some(CallId::new("tc_1")),
            tool: Some(CanonicalName::recorded("bank:transfer")),
            server: ServerName::new("bank").ok(),
            outcomes: vec![Outcome::ToolError],
            error: None,
            decision: Some(DecisionKind::Deny),
        };
        assert_eq!(filter.resolve(4_000_000), expected);
    }

    #[test]
    fn an_erasure_names_a_principal() {
        let Ok(LedgerCommand::Erase(args)) = parse("erase --principal ann --session ses_1 --yes") else {
            panic!("an erasure")
        };
        assert_eq!((&*args.principal, args.session.as_deref(), args.yes), ("ann", Some("ses_1"), true));
        assert!(parse("erase").is_err_and(|told| told.contains("--principal")));
        assert!(parse("erase --principal ann --yes --dry-run").is_err());
    }

    #[test]
    fn a_key_that_is_none_is_refused_with_the_reason() {
        let key = "toolgate+bf07fbe3+Ab2SgIWBBj4LMHNDCQoyJvGLnq5UY2+IWvZpyNzXvDyO";
        let Ok(LedgerCommand::Check { keys, .. }) = parse(&format!("check f --key {key} --key {key}")) else {
            panic!("a check")
        };
        assert_eq!(keys.keys.len(), 2);
        assert!(parse("check f --key nonsense").is_err_and(|told| told.contains("NAME+ID+BASE64")));
        let private = "PRIVATE+KEY+toolgate+bf07fbe3+AAAA";
        assert!(parse(&format!("check f --key {private}")).is_err_and(|told| told.contains("private key")));
        assert!(parse("key --name other").is_err(), "a name is that of a new key");
    }

    #[test]
    fn the_archive_takes_a_day_or_a_command() {
        let Ok(LedgerCommand::Archive(args)) = parse("archive --day 1970-01-02 --dry-run") else {
            panic!("a pass")
        };
        assert_eq!((args.day, args.dry_run, args.command.is_none()), (Some(1), true, true));
        let Ok(LedgerCommand::Archive(args)) = parse("archive list") else { panic!("a list") };
        assert!(matches!(args.command, Some(ArchiveCommand::List)));
        assert!(parse("archive --day soon").is_err_and(|told| told.contains("2026-08-01")));
        assert!(parse("archive --dry-run list").is_err());
    }

    #[test]
    fn a_misspelt_word_is_refused_with_the_nearest() {
        let told = parse("tail --kind tool.call.complete").err().expect("refused");
        assert!(told.contains("'tool.call.completed'"), "{told}");
        assert!(parse("tail --limit 0").is_err());
        assert!(parse("tail --from-archive --follow").is_err(), "the archive does not grow while one looks");
        assert!(parse("tail --since soon").is_err_and(|told| told.contains("1h30m")));
        assert!(parse("export --format xml").is_err_and(|told| told.contains("cloudevents")));
    }
}
