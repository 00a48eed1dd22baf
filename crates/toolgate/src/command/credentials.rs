//! `toolgate credentials`: credentials for sites, which agents use by handle. Values go in and never out.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use toolgate_core::ServerName;
use toolgate_core::moment::rfc3339;
use toolgate_credentials::{
    CredentialDesk, CredentialDraft, DraftValue, FieldDraft, Secret, find_credential,
};
use toolgate_store::{CredentialField, StoredCredential};

use super::context::Context;
use super::input;
use super::records::{RecordsContext, person, told};
use super::secrets::server_name;
use super::shown::now_ms;
use crate::cli::{CredentialAddArgs, CredentialRotateArgs, CredentialsCommand};
use crate::output::{printable, put, say, talk};
use crate::table::TextTable;

const VALUES_BYTES_MAX: u64 = 64 << 10;

pub(super) async fn run(context: &Context, command: CredentialsCommand) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let outcome = match command {
        CredentialsCommand::Add(args) => add(context, &room, args).await,
        CredentialsCommand::List => list(context, &room).await,
        CredentialsCommand::Show { which } => show(context, &room, &which).await,
        CredentialsCommand::Rotate(args) => rotate(context, &room, args).await,
        CredentialsCommand::Remove { which } => remove(context, &room, &which).await,
    };
    room.close().await;
    outcome
}

async fn add(context: &Context, room: &RecordsContext, args: CredentialAddArgs) -> anyhow::Result<ExitCode> {
    let servers = args.servers.iter().map(|name| server_name(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut fields = typed(&args.fields).await?;
    for (name, path) in args.files {
        fields.push(FieldDraft { name, value: DraftValue::Value(in_file(&path)?) });
    }
    fields.extend(
        args.secrets.into_iter().map(|(name, secret)| FieldDraft { name, value: DraftValue::Secret(secret) }),
    );
    let lifetime_ms = args.expires.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
    let draft = CredentialDraft {
        name: args.name,
        origin: args.origin,
        fields,
        users: args.users,
        servers,
        expires_at_ms: lifetime_ms.map(|lifetime_ms| now_ms().saturating_add(lifetime_ms)),
    };
    let created = desk(room)?.create(&person(), draft).await.map_err(told)?;
    if context.global.json {
        say!("{}", described(&created));
        return Ok(ExitCode::SUCCESS);
    }
    say!("created {} for {}", created.id, created.origin);
    for field in &created.fields {
        talk!("Agents write {}.{} where a tool takes a secret.", created.id, field.name);
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(context: &Context, room: &RecordsContext) -> anyhow::Result<ExitCode> {
    // No key is needed, and none is made, to read names.
    let all = room.store.list_credentials().await?;
    let mut table = TextTable::new(["CREDENTIAL", "NAME", "ORIGIN", "FIELDS", "FOR", "SERVERS", "LAST USED"]);
    for one in &all {
        table.row([
            one.id.to_string(),
            one.name.clone(),
            one.origin.clone(),
            field_names(one).join(", "),
            texts(&one.users).join(", "),
            texts(&one.servers).join(", "),
            one.last_used_at_ms.map(rfc3339).unwrap_or_default(),
        ]);
    }
    let data: Vec<Value> = all.iter().map(described).collect();
    put!("{}", table.render(context.reader(), &data));
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, room: &RecordsContext, which: &str) -> anyhow::Result<ExitCode> {
    let one = find_credential(&room.store, which).await.map_err(told)?;
    if context.global.json {
        say!("{}", described(&one));
        return Ok(ExitCode::SUCCESS);
    }
    let mut facts = vec![
        ("credential", one.id.to_string()),
        ("name", one.name.clone()),
        ("origin", one.origin.clone()),
        ("for", texts(&one.users).join(", ")),
        ("servers", texts(&one.servers).join(", ")),
        ("created", format!("{} by {}", rfc3339(one.created_at_ms), one.created_by)),
        ("expires", one.expires_at_ms.map_or_else(|| "never".to_owned(), rfc3339)),
        ("last used", one.last_used_at_ms.map_or_else(|| "never".to_owned(), rfc3339)),
    ];
    facts.extend(one.fields.iter().map(|field| ("field", told_field(field))));
    for (name, value) in facts {
        say!("{name:<12}{}", printable(&value));
    }
    Ok(ExitCode::SUCCESS)
}

async fn rotate(
    context: &Context,
    room: &RecordsContext,
    args: CredentialRotateArgs,
) -> anyhow::Result<ExitCode> {
    let CredentialRotateArgs { which, field, file, secret } = args;
    let value = match (file, secret) {
        (Some(path), _) => DraftValue::Value(in_file(&path)?),
        (None, Some(name)) => DraftValue::Secret(name),
        (None, None) => {
            let question = format!("{field} of {which} (not shown): ");
            DraftValue::Value(Secret::new(input::secret(&question, VALUES_BYTES_MAX).await?))
        }
    };
    let rotated = desk(room)?.rotate(&person(), &which, &field, value).await.map_err(told)?;
    match context.global.json {
        true => say!("{}", described(&rotated)),
        false => say!("rotated {}.{field}", rotated.id),
    }
    Ok(ExitCode::SUCCESS)
}

async fn remove(context: &Context, room: &RecordsContext, which: &str) -> anyhow::Result<ExitCode> {
    let erased = desk(room)?.erase(&person(), which).await.map_err(told)?;
    match context.global.json {
        true => say!("{}", json!({ "removed": erased.id, "name": erased.name })),
        false => say!("removed {} ({})", printable(&erased.name), erased.id),
    }
    Ok(ExitCode::SUCCESS)
}

fn desk(room: &RecordsContext) -> anyhow::Result<CredentialDesk> {
    Ok(CredentialDesk::new(room.vault()?))
}

/// The values of these fields: prompted for, one after the other, or a line each from standard input. One field alone
/// gets all of it.
async fn typed(names: &[String]) -> anyhow::Result<Vec<FieldDraft>> {
    if names.len() > 1 && !std::io::stdin().is_terminal() {
        return in_lines(names, &input::read_stdin(VALUES_BYTES_MAX)?);
    }
    let mut fields = Vec::with_capacity(names.len());
    for name in names {
        let value = input::secret(&format!("{name} (not shown): "), VALUES_BYTES_MAX).await?;
        fields.push(FieldDraft { name: name.clone(), value: DraftValue::Value(Secret::new(value)) });
    }
    Ok(fields)
}

fn in_lines(names: &[String], text: &str) -> anyhow::Result<Vec<FieldDraft>> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != names.len() {
        bail!(
            "standard input has {} lines, and there are {} fields\nhint: give one line for each `--field`, in their order; a value with line breaks comes from `--file`",
            lines.len(),
            names.len()
        );
    }
    let draft = |(name, line): (&String, &str)| FieldDraft {
        name: name.clone(),
        value: DraftValue::Value(Secret::new(line)),
    };
    Ok(names.iter().zip(lines).map(draft).collect())
}

/// A file's content, without the line break at its end.
fn in_file(path: &Path) -> anyhow::Result<Secret> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read {}\nhint: give the path of a text file", path.display()))?;
    let text = text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text)).unwrap_or(&text);
    Ok(Secret::new(text))
}

fn field_names(one: &StoredCredential) -> Vec<&str> {
    one.fields.iter().map(|field| field.name.as_str()).collect()
}

fn told_field(field: &CredentialField) -> String {
    let changed = rfc3339(field.updated_at_ms);
    match &field.secret {
        Some(secret) => format!("{}, from the secret {secret}, since {changed}", field.name),
        None => format!("{}, since {changed}", field.name),
    }
}

fn texts<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// The public data of a credential.
fn described(one: &StoredCredential) -> Value {
    let field = |field: &CredentialField| json!({ "name": field.name, "secret": field.secret, "updated_at": rfc3339(field.updated_at_ms) });
    json!({
        "id": one.id,
        "name": one.name,
        "origin": one.origin,
        "fields": one.fields.iter().map(field).collect::<Vec<_>>(),
        "users": one.users,
        "servers": one.servers.iter().map(ServerName::as_str).collect::<Vec<_>>(),
        "created_by": one.created_by,
        "created_at": rfc3339(one.created_at_ms),
        "expires_at": one.expires_at_ms.map(rfc3339),
        "last_used_at": one.last_used_at_ms.map(rfc3339),
    })
}
