//! `configuration.md`, from `config/keys` beside the parser.

use super::markdown::{code, fenced, table};
use crate::config::keys::{ConfigKey, ConfigTable, EffectTime, KeyDefault, KeyKind, TABLES};

const START: &str = "# Configuration

Toolgate reads the file given with `--config`, else `./toolgate.toml`, else `toolgate.toml` in the data folder. Every key may be left
out. What it does not understand it refuses, with line, column and a hint; `toolgate doctor` checks the file and what it names.
`toolgate.example.toml` in the project shows every key in use.

Values of these types are written like this:

";

const REFERENCES: &str = "
## Variables and secrets

`${NAME}` is replaced by the environment variable `NAME`, which must be set; `${NAME:-default}` has a default; `$$` is a plain `$`. This
holds for `data`, `public_url`, paths, addresses, headers, secrets, and for `command`, `args`, `env` and `cwd` of servers.
`${vault:NAME}` in `env` and `headers` of a server is what `toolgate secrets set SERVER NAME` stored, or what `[[secrets]]` has from elsewhere; it is looked up when it is sent.

A gateway that runs notices changes to its file. Most tables that describe servers, tools and agents are taken up at once; each table below
says so. What needs a restart is told in the log and waits.
";

pub(super) fn page() -> String {
    let mut text = START.to_owned();
    text.push_str(&table(&["Type", "Written as"], types()));
    text.push_str(REFERENCES);
    for one in TABLES {
        text.push_str(&section(one));
    }
    text
}

fn types() -> impl Iterator<Item = Vec<String>> {
    let types = [
        ("text", "`\"…\"`"),
        ("texts", "`[\"one\", \"two\"]`"),
        ("flag", "`true` or `false`"),
        ("count", "a whole number"),
        ("seconds", "a number of seconds up to a year, such as `30` or `0.5`"),
        ("days", "a whole number of days"),
        (
            "size",
            "a number of bytes, or text with a unit: `\"16MiB\"` (`B`, `KiB`, `MiB`, `GiB`, `KB`, `MB`, `GB`)",
        ),
        ("path", "a text; from the folder of the file unless it is absolute"),
        ("address", "a text that begins with `http://` or `https://` (`postgres://` for `[store]`)"),
        ("rate", "a text: a whole number and `/s`, `/m` or `/h`, such as `\"600/m\"`"),
        ("moment", "a date such as `2027-01-01`, or a time with its zone"),
        ("texts by name", "`{ NAME = \"…\" }`"),
    ];
    types.into_iter().map(|(name, written)| vec![name.to_owned(), written.to_owned()])
}

fn section(one: &ConfigTable) -> String {
    let title = if one.header.is_empty() { "Top of the file".to_owned() } else { code(one.header) };
    let changes = match one.changes {
        EffectTime::WhileRunning => "Changes count while the gateway runs.",
        EffectTime::AfterRestart => "Changes count after a restart.",
    };
    let keys = table(&["Key", "Type", "Default", "Meaning"], one.keys.iter().map(line));
    let example = fenced("toml", one.example);
    format!("\n## {title}\n\n{} {changes}\n\n{keys}\n{example}", one.about)
}

fn line(key: &ConfigKey) -> Vec<String> {
    let fallback = match key.fallback {
        KeyDefault::Is(value) => code(value),
        KeyDefault::Means(words) => words.to_owned(),
        KeyDefault::Needed => "needed".to_owned(),
    };
    let meaning = match key.kind {
        KeyKind::Meant(words) => format!("{} {}.", key.meaning, meanings(words)),
        _ => key.meaning.to_owned(),
    };
    vec![code(key.name), kind(&key.kind), fallback, meaning]
}

fn meanings(words: &[(&str, &str)]) -> String {
    let all: Vec<String> = words.iter().map(|(word, meaning)| format!("{}: {meaning}", code(word))).collect();
    all.join("; ")
}

fn kind(kind: &KeyKind) -> String {
    let words =
        |words: &[&str]| words.iter().map(|word| code(&format!("\"{word}\""))).collect::<Vec<_>>().join(", ");
    match kind {
        KeyKind::Text => "text".to_owned(),
        KeyKind::Texts => "texts".to_owned(),
        KeyKind::Flag => "flag".to_owned(),
        KeyKind::Count => "count".to_owned(),
        KeyKind::Seconds => "seconds".to_owned(),
        KeyKind::Days => "days".to_owned(),
        KeyKind::Bytes => "size".to_owned(),
        KeyKind::Path => "path".to_owned(),
        KeyKind::Url => "address".to_owned(),
        KeyKind::Rate => "rate".to_owned(),
        KeyKind::Moment => "moment".to_owned(),
        KeyKind::Map => "texts by name".to_owned(),
        KeyKind::Table(written) => format!("table {written}"),
        KeyKind::Word(known) => format!("one of {}", words(known)),
        KeyKind::Meant(known) => {
            format!("one of {}", words(&known.iter().map(|(word, _)| *word).collect::<Vec<_>>()))
        }
        KeyKind::Words(known) => format!("some of {}", words(known)),
        KeyKind::Other(words) => (*words).to_owned(),
    }
}
