//! Links of the repository's Markdown files: each leads to a file, and to an existing heading.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::outside::repository;

/// Folders whose Markdown is written for readers, and single files.
const FOLDERS: [&str; 5] = ["docs", "examples", "crates", "servers", "tests"];
const FILES: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

#[test]
fn every_link_between_files_leads_somewhere() {
    let root = repository();
    let mut files: Vec<PathBuf> = FILES.iter().map(|name| root.join(name)).collect();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut files);
    }
    assert!(files.len() > 20, "hardly any Markdown found");
    let broken: Vec<String> = files.iter().flat_map(|file| broken(&root, file)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        match path.is_dir() {
            true => collect(&path, files),
            false if path.extension().is_some_and(|extension| extension == "md") => files.push(path),
            false => {}
        }
    }
}

fn broken(root: &Path, file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("the file can be read");
    let name = file.strip_prefix(root).unwrap_or(file).display();
    let wrong = targets(&text).into_iter().filter_map(|target| {
        let why = fault(root, file, &target)?;
        Some(format!("{name}: {target}: {why}"))
    });
    wrong.collect()
}

/// The reason why a link is broken.
fn fault(root: &Path, file: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
    let there = match path.as_str() {
        "" => file.to_owned(),
        path => file.parent().expect("files lie in folders").join(path),
    };
    let Ok(there) = there.canonicalize() else { return Some("there is no such file") };
    if !there.starts_with(root) {
        return Some("it leads out of the repository");
    }
    let anchor = anchor.filter(|_| there.extension().is_some_and(|extension| extension == "md"))?;
    let text = std::fs::read_to_string(there).ok()?;
    (!anchors(&text).contains(anchor)).then_some("there is no such heading")
}

/// The targets of a text's links and pictures, outside of code.
fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        let mut rest = line.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let end = after.find([')', ' ']).unwrap_or(after.len());
            found.push(after[..end].trim_matches(['<', '>']).to_owned());
            rest = &after[end..];
        }
        // `[name]: target`, below the text.
        if line.starts_with('[')
            && let Some((_, target)) = line.split_once("]: ")
        {
            found.extend(target.split_whitespace().next().map(str::to_owned));
        }
    }
    found
}

/// The lines outside of fences, without text in backticks.
fn prose(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            lines.push(line.split('`').step_by(2).collect());
        }
    }
    lines
}

/// The anchors of a text's headings, and its own ids.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut inside = false;
    for line in text.lines() {
        inside ^= line.trim_start().starts_with("```");
        if let Some(heading) = line.strip_prefix('#').filter(|_| !inside) {
            let slug = slug(heading.trim_start_matches('#').trim());
            // A second heading of the same name gets a number.
            let taken = (0..).map(|number| match number {
                0 => slug.clone(),
                number => format!("{slug}-{number}"),
            });
            found.extend(taken.into_iter().find(|slug| !found.contains(slug)));
        }
        for part in line.split("id=\"").skip(1) {
            found.extend(part.split('"').next().map(str::to_owned));
        }
    }
    found
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn a_link_into_nothing_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().canonicalize().expect("it is there");
    let page = "# One page\n[a](#one-page) [b](#two) [c](other.md) ![d](no.png) `[e](f.md)`\n```\n[g](h.md)\n```\n[i](https://example.org/)\n";
    std::fs::write(root.join("page.md"), page).expect("written");
    std::fs::write(root.join("other.md"), "## Two `words`, & more\n").expect("written");
    let found = broken(&root, &root.join("page.md"));
    assert_eq!(found, ["page.md: #two: there is no such heading", "page.md: no.png: there is no such file"]);
    assert_eq!(anchors("## Two `words`, & more\n"), BTreeSet::from([String::from("two-words--more")]));
}
