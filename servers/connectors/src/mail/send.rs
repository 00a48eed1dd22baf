//! The tool that sends, and the preview of what it would send.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use capability_kit::{
    CallPreview, Effect, FileInput, FileStrategy, PreviewQuestion, ResidentCall, ShownRequest, Tool, Trouble,
    TroubleCode,
};
use mail_text::MailAddress;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::compose::{Letter, LetterFile};
use super::dispatch;
use super::outbox::{self, Outbox, Sending, address};
use crate::provided::{Provided, ToolWords, data_tool};

pub(super) const NAME: &str = "send";
const WORDS: ToolWords = ToolWords {
    name: NAME,
    title: "Send a mail",
    description: "Sends one mail from the configured sender. Files are attached by file_id. Returns the id of the message. If the answer \
        says that the outcome is unknown, do not send again: look it up by that id.",
};
/// Each step has its own limit; this is more than all of them together need.
const TIME_LIMIT: Duration = Duration::from_secs(600);
const RECIPIENTS_MAX: usize = 50;
const ATTACHMENTS_MAX: usize = 20;
const SUBJECT_CHARS_MAX: usize = 500;
const NAME_CHARS_MAX: usize = 200;
const ID_CHARS_MAX: usize = 250;
const PREVIEW_CHARS_MAX: usize = 20_000;
/// The argument of agents, which a gateway replaces by the content of files.
const FILE_ARGUMENT: &str = "file_id";

pub(super) fn tool(outbox: &Provided<Outbox>) -> Tool {
    data_tool(outbox, WORDS, send)
        .effect(Effect::ExternalWrite)
        .not_repeatable()
        .file(FileStrategy::BinaryBase64)
        .time_limit(TIME_LIMIT)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SendArguments {
    /// Addresses such as ada@example.com or Ada <ada@example.com>.
    to: Vec<String>,
    #[serde(default)]
    cc: Vec<String>,
    /// Recipients whom the others do not see.
    #[serde(default)]
    bcc: Vec<String>,
    /// One line.
    subject: String,
    /// Plain text.
    text: String,
    /// The same text as HTML, if it should look nicer.
    #[serde(default)]
    html: Option<String>,
    /// The address for answers, if it is another one than the sender's.
    #[serde(default)]
    reply_to: Option<String>,
    /// The message_id of the mail that this one answers.
    #[serde(default)]
    in_reply_to: Option<String>,
    /// The attached files, in Base64.
    #[serde(default)]
    file_data: Vec<String>,
    /// Their media types, in the same order.
    #[serde(default)]
    file_type: Vec<String>,
    /// Their names, in the same order.
    #[serde(default)]
    file_names: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SentMail {
    message_id: String,
    /// Everyone who gets it.
    recipients: Vec<String>,
    /// The size of the mail.
    bytes: usize,
    /// True if this call had sent it before; nothing was sent now.
    repeated: bool,
}

async fn send(
    outbox: Arc<Outbox>,
    arguments: SendArguments,
    call: ResidentCall,
) -> Result<SentMail, Trouble> {
    let id = dispatch::message_id(call.call_id.as_deref(), outbox.from.domain());
    let attachments = attachments(&arguments, &call)?;
    let letter = letter(&outbox, arguments, id, attachments)?;
    let message = written(&outbox, &letter)?;
    let sending = outbox.send(call.call_id.as_deref(), &letter, &message).await?;
    Ok(SentMail {
        recipients: letter.recipients(),
        message_id: letter.message_id,
        bytes: message.len(),
        repeated: sending == Sending::Before,
    })
}

fn written(outbox: &Outbox, letter: &Letter) -> Result<Vec<u8>, Trouble> {
    let boundary = format!("=_tg_{}", uuid::Uuid::now_v7().simple());
    let message = letter.written(&outbox::date()?, &boundary);
    check_size(outbox, message.len())?;
    Ok(message)
}

fn check_size(outbox: &Outbox, bytes: usize) -> Result<(), Trouble> {
    let bytes_max = outbox.message_bytes_max;
    if bytes <= bytes_max {
        return Ok(());
    }
    let message = format!("the mail would have {bytes} bytes; at most {bytes_max} are sent");
    Err(Trouble::new(TroubleCode::TooLarge, message)
        .hint("attach less, or send a link; files grow by a third in mail; the server's option --message-mib sets the limit"))
}

fn letter(
    outbox: &Outbox,
    arguments: SendArguments,
    message_id: String,
    attachments: Vec<LetterFile>,
) -> Result<Letter, Trouble> {
    let all = |written: &[String]| written.iter().map(|one| address(one)).collect::<Result<Vec<_>, _>>();
    let letter = Letter {
        from: outbox.from.clone(),
        to: all(&arguments.to)?,
        cc: all(&arguments.cc)?,
        bcc: all(&arguments.bcc)?,
        reply_to: arguments.reply_to.as_deref().map(address).transpose()?,
        subject: one_line("subject", arguments.subject, SUBJECT_CHARS_MAX)?,
        text: arguments.text,
        html: arguments.html,
        in_reply_to: arguments.in_reply_to.map(id_of_message).transpose()?,
        message_id,
        attachments,
    };
    let recipients = letter.recipients().len();
    if recipients == 0 || recipients > RECIPIENTS_MAX || letter.to.is_empty() {
        let message = format!("the mail has {recipients} recipients");
        return Err(Trouble::bad_arguments(message)
            .hint(format!("write one to {RECIPIENTS_MAX}, at least one of them in `to`")));
    }
    outbox.check_recipients(&letter)?;
    Ok(letter)
}

/// A line break would end the header, and the next line would be one of the caller's own.
fn one_line(argument: &str, text: String, chars_max: usize) -> Result<String, Trouble> {
    if text.chars().any(char::is_control) {
        return Err(Trouble::bad_arguments(format!(
            "{argument} has a line break or another control character"
        ))
        .hint("write it in one line"));
    }
    if text.chars().count() > chars_max {
        return Err(Trouble::bad_arguments(format!("{argument} is longer than {chars_max} characters"))
            .hint("shorten it"));
    }
    Ok(text)
}

fn id_of_message(id: String) -> Result<String, Trouble> {
    let inner = id.trim().trim_start_matches('<').trim_end_matches('>');
    let fits = inner.contains('@')
        && inner.len() <= ID_CHARS_MAX
        && inner.chars().all(|c| c.is_ascii_graphic() && !"<>\"".contains(c));
    match fits {
        true => Ok(format!("<{inner}>")),
        false => Err(Trouble::bad_arguments("in_reply_to is no id of a message")
            .hint("pass the message_id that list_messages or read_message returned")),
    }
}

fn attachments(arguments: &SendArguments, call: &ResidentCall) -> Result<Vec<LetterFile>, Trouble> {
    if arguments.file_data.len() > ATTACHMENTS_MAX {
        return Err(Trouble::bad_arguments(format!("{} files are attached", arguments.file_data.len()))
            .hint(format!("attach at most {ATTACHMENTS_MAX}")));
    }
    let one = |(at, data): (usize, &String)| {
        let input = FileInput { file_data: Some(data.clone()), file_type: None, source_ref_id: None };
        let media_type = media_type(arguments.file_type.get(at));
        let name = match arguments.file_names.get(at) {
            Some(name) => one_line("file_names", name.replace(['/', '\\'], "_"), NAME_CHARS_MAX)?,
            None => usual_name(at, &media_type),
        };
        Ok(LetterFile { name, bytes: input.load(&call.work)?.bytes, media_type })
    };
    arguments.file_data.iter().enumerate().map(one).collect()
}

fn media_type(said: Option<&String>) -> String {
    let is_token = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c))
    };
    let said = said.map(|said| said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    said.filter(|said| {
        said.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
    })
    .filter(|said| !said.starts_with("multipart/") && !said.starts_with("message/"))
    .unwrap_or_else(|| "application/octet-stream".to_owned())
}

fn usual_name(at: usize, media_type: &str) -> String {
    const ENDINGS: [(&str, &str); 8] = [
        ("application/pdf", "pdf"),
        ("application/json", "json"),
        ("application/zip", "zip"),
        ("image/png", "png"),
        ("image/jpeg", "jpg"),
        ("text/plain", "txt"),
        ("text/csv", "csv"),
        ("text/html", "html"),
    ];
    let ending = ENDINGS.iter().find(|(known, _)| *known == media_type).map_or("bin", |(_, ending)| ending);
    format!("attachment-{}.{ending}", at + 1)
}

/// The mail that a call would send. Files are named by their ids if a gateway has not read them yet.
pub(super) fn preview(outbox: &Outbox, asked: PreviewQuestion) -> Result<CallPreview, Trouble> {
    if asked.name != NAME {
        return Err(Trouble::bad_arguments(format!("{} sends nothing", asked.name))
            .hint(format!("only {NAME} has a preview")));
    }
    let mut arguments = asked.arguments;
    let files = arguments.as_object_mut().and_then(|arguments| arguments.remove(FILE_ARGUMENT));
    let arguments: SendArguments = serde_json::from_value(arguments)
        .map_err(|error| Trouble::bad_arguments(error.to_string()).hint("pass the arguments of send"))?;
    let attached = attached(files.as_ref(), &arguments);
    let bytes: usize = arguments.file_data.iter().map(String::len).sum();
    let letter = letter(outbox, arguments, dispatch::message_id(None, outbox.from.domain()), Vec::new())?;
    let bytes = bytes + written(outbox, &letter)?.len();
    check_size(outbox, bytes)?;
    Ok(shown(outbox, &letter, &attached, bytes))
}

fn attached(ids: Option<&Value>, arguments: &SendArguments) -> Vec<String> {
    let ids: Vec<&str> = match ids {
        Some(Value::Array(ids)) => ids.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(id)) => vec![id],
        _ => Vec::new(),
    };
    let count = ids.len().max(arguments.file_data.len());
    let name = |at: usize| {
        let name = arguments.file_names.get(at).cloned();
        let name = name.unwrap_or_else(|| usual_name(at, &media_type(arguments.file_type.get(at))));
        match ids.get(at) {
            Some(id) => format!("{name} ({id})"),
            None => name,
        }
    };
    (0..count).map(name).collect()
}

fn shown(outbox: &Outbox, letter: &Letter, attached: &[String], bytes: usize) -> CallPreview {
    let listed =
        |addresses: &[MailAddress]| addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut headers = BTreeMap::from([
        ("Authorization".to_owned(), ShownRequest::MASK.to_owned()),
        ("From".to_owned(), letter.from.to_string()),
        ("To".to_owned(), listed(&letter.to)),
        ("Cc".to_owned(), listed(&letter.cc)),
        ("Bcc".to_owned(), listed(&letter.bcc)),
        ("Reply-To".to_owned(), letter.reply_to.iter().map(ToString::to_string).collect()),
        ("In-Reply-To".to_owned(), letter.in_reply_to.clone().unwrap_or_default()),
        ("Subject".to_owned(), letter.subject.clone()),
        ("Attachments".to_owned(), attached.join(", ")),
    ]);
    headers.retain(|_, value| !value.is_empty());
    let body: String =
        letter.html.as_ref().map_or(letter.text.clone(), |html| format!("{}\n\n{html}", letter.text));
    let text = format!(
        "Mail from {} to {}: {}{}",
        letter.from,
        letter.recipients().join(", "),
        letter.subject,
        if attached.is_empty() { String::new() } else { format!("; attached: {}", attached.join(", ")) }
    );
    let request = ShownRequest {
        method: "SEND".to_owned(),
        url: outbox.url(),
        headers,
        body_text: Some(body.chars().take(PREVIEW_CHARS_MAX).collect()),
        body_bytes: Some(bytes as u64),
    };
    CallPreview { request, text }
}
