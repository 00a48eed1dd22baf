//! References of other programs in the spelling of `toolgate.toml`.
//!
//! VS Code and Cursor write `${env:NAME}` and `${input:id}`, Claude Code `${NAME}` and `${NAME:-default}`. Whatever is
//! no reference of theirs is plain text, and its dollar signs are doubled.

use std::path::Path;

use crate::config::reference::{escape, is_variable_name};

/// The possible targets of a reference besides variables.
pub(super) struct ReferenceTerms<'a> {
    /// The project of the client's file.
    pub(super) project: Option<&'a Path>,
    /// The ids of VS Code's `inputs` with their prompts.
    pub(super) inputs: &'a [(String, String)],
}

/// A text in our spelling.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TranslatedText {
    pub(super) text: String,
    pub(super) notes: Vec<String>,
    /// True if any of it comes from the environment.
    pub(super) has_reference: bool,
}

/// Fails with the reference that only the client itself can resolve.
pub(super) fn translate(text: &str, terms: &ReferenceTerms<'_>) -> Result<TranslatedText, String> {
    let mut out =
        TranslatedText { text: String::with_capacity(text.len()), notes: Vec::new(), has_reference: false };
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.text.push_str(&escape(&rest[..at]));
        let Some(end) = rest[at..].find('}') else { break };
        let inside = &rest[at + 2..at + end];
        match meaning(inside, terms)? {
            ReferenceMeaning::Variable(reference) => {
                out.text.push_str(&format!("${{{reference}}}"));
                out.has_reference = true;
            }
            ReferenceMeaning::Input { variable, note } => {
                out.text.push_str(&format!("${{{variable}}}"));
                out.notes.push(note);
                out.has_reference = true;
            }
            ReferenceMeaning::Literal(literal) => out.text.push_str(&escape(&literal)),
        }
        rest = &rest[at + end + 1..];
    }
    match rest.find("${") {
        // Never closed: plain text, and the part before it is already there.
        Some(at) => out.text.push_str(&escape(&rest[at..])),
        None => out.text.push_str(&escape(rest)),
    }
    Ok(out)
}

enum ReferenceMeaning {
    Variable(String),
    Input { variable: String, note: String },
    Literal(String),
}

/// Prefixes of references with a meaning only inside the editor.
const EDITOR_ONLY: [&str; 4] = ["config:", "command:", "workspaceFolder:", "extensionInstallFolder:"];

fn meaning(inside: &str, terms: &ReferenceTerms<'_>) -> Result<ReferenceMeaning, String> {
    let unknown = || format!("uses `${{{inside}}}`, which only the client can resolve");
    if let Some(name) = inside.strip_prefix("env:") {
        return if is_variable_name(name) {
            Ok(ReferenceMeaning::Variable(name.into()))
        } else {
            Err(unknown())
        };
    }
    if let Some(id) = inside.strip_prefix("input:") {
        return Ok(input(id, terms));
    }
    match inside {
        "userHome" => return Ok(ReferenceMeaning::Variable("HOME".into())),
        "pathSeparator" | "/" => return Ok(ReferenceMeaning::Literal(std::path::MAIN_SEPARATOR.to_string())),
        "workspaceFolder" => return project(terms, |path| Some(path.as_os_str())).ok_or_else(unknown),
        "workspaceFolderBasename" => return project(terms, Path::file_name).ok_or_else(unknown),
        _ => {}
    }
    if EDITOR_ONLY.iter().any(|prefix| inside.starts_with(prefix)) {
        return Err(unknown());
    }
    let (name, default) = inside.split_once(":-").unwrap_or((inside, ""));
    match is_variable_name(name) && !default.contains("${") {
        true => Ok(ReferenceMeaning::Variable(inside.into())),
        false => Ok(ReferenceMeaning::Literal(format!("${{{inside}}}"))),
    }
}

fn project(
    terms: &ReferenceTerms<'_>,
    part: impl Fn(&Path) -> Option<&std::ffi::OsStr>,
) -> Option<ReferenceMeaning> {
    let text = part(terms.project?)?.to_string_lossy().into_owned();
    Some(ReferenceMeaning::Literal(text))
}

fn input(id: &str, terms: &ReferenceTerms<'_>) -> ReferenceMeaning {
    let variable = variable_for(id);
    let asked =
        terms.inputs.iter().find(|(known, _)| known == id).map(|(_, description)| description.as_str());
    let asked =
        asked.filter(|asked| !asked.is_empty()).map(|asked| format!(" ({asked})")).unwrap_or_default();
    let note = format!(
        "VS Code asks for `{id}`{asked}; Toolgate reads it from the environment: `export {variable}=…`"
    );
    ReferenceMeaning::Input { variable, note }
}

/// `github-token` → `GITHUB_TOKEN`
fn variable_for(id: &str) -> String {
    let name: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    if is_variable_name(&name) { name } else { format!("INPUT_{name}") }
}
