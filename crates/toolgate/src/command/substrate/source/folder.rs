//! Every file of a folder and of those in it. Links are not followed.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::found::FoundFiles;

pub(super) fn list(root: &Path, found: &mut FoundFiles) -> anyhow::Result<()> {
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let could_not = || format!("could not list {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(could_not)? {
            let entry = entry.with_context(could_not)?;
            let path = entry.path();
            let name = entry.file_name();
            let name = name
                .to_str()
                .with_context(|| format!("the name of {} is not UTF-8\nhint: rename it", path.display()))?;
            let name = format!("{prefix}{name}");
            // The kind of the entry itself: a link to a folder is a link.
            if entry.file_type().with_context(could_not)?.is_dir() {
                folders.push((path, format!("{name}/")));
            } else {
                found.add_from_disk(&name, path)?;
            }
        }
    }
    Ok(())
}
