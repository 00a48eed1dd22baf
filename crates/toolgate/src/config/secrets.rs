//! `[[secrets]]` and `[openbao]`: secrets of servers that are kept elsewhere, and the access to OpenBao or
//! HashiCorp Vault.

use std::path::PathBuf;
use std::time::Duration;

use toolgate_core::ServerName;
use toolgate_credentials::{OutsideSecret, OutsideSource, SIGN_IN, origin_of};

use super::problem::{ConfigProblems, one_of};
use super::reference::{SECRET_NAME_CHARS_MAX, is_secret_name, is_variable_name};
use super::section::{ConfigSection, Located, SecondsRange, require};
use super::value::{ReadContext, UrlForm};
use super::{CheckpointKeySource, Config};

pub(super) const SECRETS_KEYS: &[&str] =
    &["server", "name", "file", "command", "openbao", "cache_seconds", "origins"];
pub(super) const OPENBAO_KEYS: &[&str] = &[
    "address",
    "mount",
    "namespace",
    "token_file",
    "token_env",
    "role_id",
    "secret_id_file",
    "secret_id_env",
];

/// A secret has exactly one of these keys.
const WAYS: [&str; 3] = ["file", "command", "openbao"];
const CACHE: Duration = Duration::from_secs(300);
const MOUNT: &str = "secret";
const ANYWHERE: &str = "*";

const ADDRESS: UrlForm = UrlForm {
    expected: "an address such as `https://bao.example.com:8200`",
    instead_of_password: "use `token_file`, or `role_id` with `secret_id_file`",
};

/// The address of OpenBao or HashiCorp Vault, and the gateway's credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenBao {
    /// Without a `/` at its end.
    pub(crate) address: String,
    pub(crate) mount: String,
    pub(crate) namespace: Option<String>,
    pub(crate) by: OpenBaoBy,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OpenBaoBy {
    Token(CredentialSource),
    AppRole { role_id: String, secret_id: CredentialSource },
}

/// The place of one of the gateway's own credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CredentialSource {
    /// Absolute.
    File(PathBuf),
    /// The name of a variable of the environment.
    Environment(String),
}

impl Config {
    /// Files with secrets, which no server may see.
    pub(crate) fn secret_files(&self) -> impl Iterator<Item = PathBuf> {
        let of_openbao = self.openbao.as_ref().and_then(|openbao| match &openbao.by {
            OpenBaoBy::Token(CredentialSource::File(path))
            | OpenBaoBy::AppRole { secret_id: CredentialSource::File(path), .. } => Some(path.clone()),
            OpenBaoBy::Token(_) | OpenBaoBy::AppRole { .. } => None,
        });
        let of_secrets = self.secrets.iter().filter_map(|secret| match &secret.source {
            OutsideSource::File(path) => Some(path.clone()),
            OutsideSource::Command(_) | OutsideSource::OpenBao { .. } => None,
        });
        let of_checkpoints = self.checkpoints.as_ref().and_then(|settings| match &settings.key {
            CheckpointKeySource::File(path) => Some(path.clone()),
            CheckpointKeySource::Environment(_) | CheckpointKeySource::OpenBao { .. } => None,
        });
        of_secrets.chain(of_openbao).chain(of_checkpoints)
    }
}

pub(super) fn read_secrets(
    sections: Vec<ConfigSection<'_>>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Vec<OutsideSecret> {
    let mut read: Vec<OutsideSecret> = Vec::new();
    for mut section in sections {
        if let Some(name) = section.string("name", &mut ConfigProblems::default()) {
            section.rename(format!("secret {:?}", name.value));
        }
        let Some(secret) = read_secret(&section, ctx, problems) else { continue };
        if read.iter().any(|one| one.server == secret.server && one.name == secret.name) {
            let what =
                format!("two secrets of server {:?} are named {:?}", secret.server.as_str(), secret.name);
            let hint = "remove one of them, or give it another name";
            problems.add(section.span.clone(), what, "a name that no other secret of the server has", hint);
        }
        read.push(secret);
    }
    read
}

fn read_secret(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<OutsideSecret> {
    section.refuse_unknown_keys(SECRETS_KEYS, &[], problems);
    for (key, example) in [("server", "\"github\""), ("name", "\"TOKEN\"")] {
        require(section, key, example, problems);
    }
    let server =
        section.string("server", problems).and_then(|server| server_name(section, &server, problems));
    let name = section.string("name", problems).and_then(|name| secret_name(section, &name, problems));
    let source = source(section, ctx, problems);
    let cache = section.seconds("cache_seconds", SecondsRange::ZeroOrMore, problems);
    let origins = section.strings("origins", problems);
    let origins = origins.iter().filter_map(|origin| checked_origin(section, origin, problems)).collect();
    Some(OutsideSecret {
        server: server?,
        name: name?,
        source: source?,
        cache: cache.unwrap_or(CACHE),
        origins,
    })
}

fn server_name(
    section: &ConfigSection<'_>,
    name: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<ServerName> {
    let read = ServerName::new(name.value);
    if let Err(error) = &read {
        let what = format!("`server` in {} is not the name of one: {error}", section.title());
        problems.add(name.span.clone(), what, "the name of a server", "`toolgate servers list` shows all");
    }
    read.ok()
}

fn secret_name(
    section: &ConfigSection<'_>,
    name: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    if is_secret_name(name.value) && name.value != SIGN_IN {
        return Some(name.value.to_owned());
    }
    let what = format!("`name` in {} cannot name a secret", section.title());
    let expected = format!("1 to {SECRET_NAME_CHARS_MAX} letters, digits, `.`, `_` and `-`");
    problems.add(name.span.clone(), what, expected, "the server names it as `${vault:NAME}`");
    None
}

fn source(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<OutsideSource> {
    let given: Vec<&str> = WAYS.into_iter().filter(|way| section.key_span(way).is_some()).collect();
    match given[..] {
        ["file"] => {
            let path = ctx.places(section).path("file", ctx.folder, problems)?;
            Some(OutsideSource::File(path.value))
        }
        ["command"] => command(section, ctx, problems),
        ["openbao"] => openbao(section, problems),
        _ => {
            let span = given.get(1).and_then(|way| section.key_span(way));
            let what = match given.len() {
                0 => format!("{} has no source", section.title()),
                _ => format!("{} has {} sources", section.title(), given.len()),
            };
            let hint = "for example `file = \"/run/secrets/github\"`";
            problems.add(
                span.unwrap_or_else(|| section.span.clone()),
                what,
                format!("one of {}", one_of(&WAYS)),
                hint,
            );
            None
        }
    }
}

/// Literal words: there is no shell.
fn command(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<OutsideSource> {
    let values = ctx.values(section);
    let written = section.strings("command", problems);
    let words: Vec<String> =
        written.iter().filter_map(|word| values.plain("command", word, problems)).collect();
    let is_path = |word: &String| word.starts_with('/') || values.is_kept(word);
    if words.len() == written.len() && words.first().is_some_and(is_path) {
        return Some(OutsideSource::Command(words));
    }
    let span = section.key_span("command").expect("the key chose this way");
    let what = format!("`command` in {} is no program and its arguments", section.title());
    let hint = "for example `command = [\"/usr/bin/op\", \"read\", \"op://team/github/token\"]`";
    problems.add(span, what, "a list that begins with the absolute path of a program", hint);
    None
}

fn openbao(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<OutsideSource> {
    let (path, field) = openbao_field(section, "openbao", problems)?;
    Some(OutsideSource::OpenBao { path, field })
}

/// The path of a secret, and the field of it that a key names.
pub(super) fn openbao_field(
    section: &ConfigSection<'_>,
    key: &str,
    problems: &mut ConfigProblems,
) -> Option<(String, String)> {
    let written = section.string(key, problems)?;
    let parts = written.value.rsplit_once('#').filter(|(path, field)| !path.is_empty() && !field.is_empty());
    if let Some((path, field)) = parts {
        return Some((path.trim_matches('/').to_owned(), field.to_owned()));
    }
    let what = format!("`{key}` in {} names no field of a secret", section.title());
    let hint = format!("for example `{key} = \"team/github#token\"`, without the mount and without `data/`");
    problems.add(written.span, what, "a path, `#` and a field", hint);
    None
}

fn checked_origin(
    section: &ConfigSection<'_>,
    origin: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    if origin.value == ANYWHERE {
        return Some(ANYWHERE.to_owned());
    }
    let read = origin_of(origin.value);
    if read.is_none() {
        let what = format!("`origins` in {} has {:?}", section.title(), origin.value);
        let expected = "origins such as `https://api.example.com`, or `*` for every address of the server";
        problems.add(origin.span.clone(), what, expected, "write scheme, host and port");
    }
    read
}

pub(super) fn refuse_without_openbao(
    top: &ConfigSection<'_>,
    secrets: &[OutsideSecret],
    problems: &mut ConfigProblems,
) {
    let wants = |one: &&OutsideSecret| matches!(one.source, OutsideSource::OpenBao { .. });
    if let Some(secret) = secrets.iter().find(wants) {
        refuse_no_openbao(top, &format!("secret {:?}", secret.name), "secrets", problems);
    }
}

/// `what` lies in OpenBao; `table` is where that is said.
pub(super) fn refuse_no_openbao(
    top: &ConfigSection<'_>,
    what: &str,
    table: &str,
    problems: &mut ConfigProblems,
) {
    if top.key_span("openbao").is_some() {
        return;
    }
    let what = format!("{what} is in OpenBao, and there is no `[openbao]`");
    let hint = "add `[openbao]` with `address` and `token_file`";
    problems.add(top.key_span(table).unwrap_or_default(), what, "where OpenBao is", hint);
}

/// `None` if a problem was added.
pub(super) fn read_openbao(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<OpenBao> {
    section.refuse_unknown_keys(OPENBAO_KEYS, &[], problems);
    require(section, "address", "\"https://bao.example.com:8200\"", problems);
    let values = ctx.values(section);
    let address = values.url("address", &ADDRESS, problems);
    let mut text =
        |key: &str| section.string(key, problems).and_then(|written| values.plain(key, &written, problems));
    let (mount, namespace, role_id) = (text("mount"), text("namespace"), text("role_id"));
    let token = credential(section, ctx, ["token_file", "token_env"], problems);
    let secret_id = credential(section, ctx, ["secret_id_file", "secret_id_env"], problems);
    let by = match (token, role_id, secret_id) {
        (Some(token), None, None) => OpenBaoBy::Token(token),
        (None, Some(role_id), Some(secret_id)) => OpenBaoBy::AppRole { role_id, secret_id },
        _ => {
            let what = "`[openbao]` does not say how the gateway is let in";
            let expected =
                "`token_file` or `token_env`; or `role_id` with `secret_id_file` or `secret_id_env`";
            problems.add(section.span.clone(), what, expected, "a token in a file is the simplest");
            return None;
        }
    };
    let mount = mount.unwrap_or_else(|| MOUNT.to_owned()).trim_matches('/').to_owned();
    Some(OpenBao { address: address?.trim_end_matches('/').to_owned(), mount, namespace, by })
}

/// From a file or a variable; a file is nearer to how such credentials are handed over.
fn credential(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    [file, variable]: [&str; 2],
    problems: &mut ConfigProblems,
) -> Option<CredentialSource> {
    if let Some(path) = ctx.places(section).path(file, ctx.folder, problems) {
        return Some(CredentialSource::File(path.value));
    }
    let name = section.string(variable, problems)?;
    if is_variable_name(name.value) {
        return Some(CredentialSource::Environment(name.value.to_owned()));
    }
    let what = format!("`{variable}` in {} is not the name of a variable", section.title());
    problems.add(name.span, what, "letters, digits and `_` only", "keep the credential in that variable");
    None
}
