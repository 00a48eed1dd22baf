//! The key that signs checkpoints. It never lies in the database.

use std::fs::{File, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use toolgate_credentials::OutsideSource;
use toolgate_proof::{CheckpointKey, VerifierKey};

use crate::config::{CheckpointKeySource, Config};
use crate::environment;
use crate::keyring;

const ONLY_OWNER: u32 = 0o600;
const OTHERS: u32 = 0o077;
const FILE_BYTES_MAX: u64 = 4096;
const LOST: &str = "if the key is lost, make another with `toolgate ledger key --new FILE` and list the old public key in \
     `old_keys` of `[checkpoints]`: earlier checkpoints stay valid";

/// The key that the configuration names.
pub(crate) async fn signing_key(config: &Config) -> anyhow::Result<CheckpointKey> {
    let settings = config.checkpoints.as_ref().context(
        "the configuration has no `[checkpoints]`\n\
         hint: `toolgate ledger key --new FILE` makes a key; name it there as `key_file`, with a `folder` for the checkpoints",
    )?;
    let (text, place) = match &settings.key {
        CheckpointKeySource::File(path) => (read(path)?, path.display().to_string()),
        CheckpointKeySource::Environment(name) => {
            let text = environment::filled(name).ok_or_else(|| {
                anyhow!("the variable {name} with the key of checkpoints is not set\nhint: {LOST}")
            })?;
            (text, format!("the variable {name}"))
        }
        CheckpointKeySource::OpenBao { path, field } => {
            (of_openbao(config, path, field).await?, format!("{path}#{field} in OpenBao"))
        }
    };
    text.trim()
        .parse::<CheckpointKey>()
        .with_context(|| format!("{place} does not hold a key of checkpoints\nhint: {LOST}"))
}

async fn of_openbao(config: &Config, path: &str, field: &str) -> anyhow::Result<String> {
    let source = OutsideSource::OpenBao { path: path.to_owned(), field: field.to_owned() };
    let secret = keyring::outside(config)?.own_secret(&source).await;
    let secret = secret.with_context(|| {
        format!("could not read the key of checkpoints {path}#{field} from OpenBao\nhint: {LOST}")
    })?;
    Ok(secret.expose().to_owned())
}

/// The public keys that the configuration knows: that of its key, if it is there, and the old ones. The log says why it
/// is not.
pub(crate) async fn known_keys(config: &Config) -> Vec<VerifierKey> {
    let Some(settings) = &config.checkpoints else { return Vec::new() };
    let own = match signing_key(config).await {
        Ok(key) => Some(key.public().clone()),
        Err(error) => {
            let error = format!("{error:#}");
            tracing::warn!(error, "the key of checkpoints is not known; checkpoints are checked without it");
            None
        }
    };
    own.into_iter().chain(settings.old_keys.iter().cloned()).collect()
}

/// Makes a key, in a file that did not exist.
pub(crate) fn make_key(path: &Path, name: &str) -> anyhow::Result<VerifierKey> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| anyhow!("no random numbers from the system: {error}"))?;
    let key =
        CheckpointKey::from_seed(name, seed).with_context(|| format!("the key cannot be named {name:?}"))?;
    write_new(path, &key.secret_text()).with_context(|| {
        format!("could not make the key file {}\nhint: an existing file is never overwritten", path.display())
    })?;
    Ok(key.public().clone())
}

/// The file appears when it is complete, so that a full disk leaves none that prevents the next attempt. Only its owner may
/// read it.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut part =
        tempfile::Builder::new().permissions(Permissions::from_mode(ONLY_OWNER)).tempfile_in(folder)?;
    writeln!(part, "{text}")?;
    part.as_file().sync_all()?;
    part.persist_noclobber(path)?;
    Ok(())
}

/// From a file that only its owner may read.
fn read(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let file = File::open(path)
        .with_context(|| format!("could not read the key of checkpoints {shown}\nhint: {LOST}"))?;
    let mode = file
        .metadata()
        .with_context(|| format!("could not look at the key of checkpoints {shown}\nhint: {LOST}"))?
        .mode();
    if mode & OTHERS != 0 {
        bail!(
            "other users may read the key of checkpoints {shown}\nhint: `chmod 600 {shown}` keeps them out"
        );
    }
    let mut text = String::new();
    let read = file.take(FILE_BYTES_MAX).read_to_string(&mut text);
    read.with_context(|| format!("could not read the key of checkpoints {shown}\nhint: {LOST}"))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::accepted;

    fn config(file: &Path, old_keys: &[&VerifierKey]) -> Config {
        let old: Vec<String> = old_keys.iter().map(|key| key.to_string()).collect();
        let text = format!("[checkpoints]\nkey_file = {file:?}\nold_keys = {old:?}\nfolder = \"kept\"\n");
        accepted(&text)
    }

    #[tokio::test]
    async fn a_key_is_made_once_and_only_its_owner_may_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("checkpoint.key");
        let made = make_key(&path, "ledger").expect("made");
        assert_eq!(path.metadata().expect("a file").mode() & 0o777, 0o600);
        assert_eq!(signing_key(&config(&path, &[])).await.expect("read").public(), &made);
        assert!(make_key(&path, "ledger").is_err(), "it would be overwritten");
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 1, "a failure leaves nothing");
        assert!(make_key(&folder.path().join("other"), "two words").is_err());
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("changed");
        let refused = signing_key(&config(&path, &[])).await.expect_err("others may read it");
        assert!(refused.to_string().contains("chmod 600"), "{refused}");
    }

    #[tokio::test]
    async fn old_keys_stay_known_when_the_key_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = make_key(&folder.path().join("old.key"), "ledger").expect("made");
        let path = folder.path().join("lost.key");
        let lost = config(&path, &[&old]);
        assert_eq!(known_keys(&lost).await, [old]);
        let told = signing_key(&lost).await.expect_err("it is lost").to_string();
        assert!(told.contains("old_keys"), "{told}");
        std::fs::write(&path, "something else").expect("written");
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("changed");
        let told = signing_key(&lost).await.expect_err("it is no key").to_string();
        assert!(told.contains("does not hold a key"), "{told}");
    }
}
