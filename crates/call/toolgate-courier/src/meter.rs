//! The delivery of meter events, to a webhook or a file, without gaps.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use toolgate_core::event::RecordedEvent;
use toolgate_core::signature::SigningKey;

use crate::client::DeliveryClient;
use crate::cloud_event;
use crate::failure::DeliveryFailure;
use crate::metered::meter_event;
use crate::webhook::signed_headers;
use crate::{BadReceiver, MeterWebhook};

pub(crate) struct MeterWebhookDelivery {
    client: DeliveryClient,
    key: SigningKey,
}

impl MeterWebhookDelivery {
    pub(crate) fn new(meter: &MeterWebhook, key: SigningKey) -> Result<Self, BadReceiver> {
        Ok(Self { client: DeliveryClient::new(&meter.url, &meter.egress)?, key })
    }

    /// Sends the first metered event; the events before it need no delivery.
    pub(crate) async fn deliver(
        &self,
        events: &[RecordedEvent],
        limit: Duration,
    ) -> Result<usize, DeliveryFailure> {
        let found = events.iter().enumerate().find_map(|(place, event)| Some((place, meter_event(event)?)));
        let Some((place, (id, json))) = found else { return Ok(events.len()) };
        let headers = signed_headers(&self.key, &id, json.as_bytes());
        self.client.post(cloud_event::MEDIA_TYPE, headers, json.into_bytes(), limit).await?;
        Ok(place + 1)
    }
}

pub(crate) struct MeterFileDelivery {
    path: PathBuf,
}

impl MeterFileDelivery {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Appends all of them. They are on disk when this succeeds, and only then does the position in the
    /// ledger advance.
    pub(crate) async fn deliver(&self, events: &[RecordedEvent]) -> Result<usize, DeliveryFailure> {
        let mut lines = Vec::new();
        for (_, json) in events.iter().filter_map(meter_event) {
            lines.extend_from_slice(json.as_bytes());
            lines.push(b'\n');
        }
        if !lines.is_empty() {
            let (path, lines) = (self.path.clone(), Bytes::from(lines));
            let write =
                tokio::task::spawn_blocking(move || append(&path, &lines).map_err(|error| (path, error)));
            let written = write.await.expect("appending to a file does not panic");
            let told = |(path, error): (PathBuf, std::io::Error)| {
                DeliveryFailure::temporary(format!("cannot append to {}: {error}", path.display()))
            };
            written.map_err(told)?;
        }
        Ok(events.len())
    }
}

fn append(path: &Path, lines: &[u8]) -> std::io::Result<()> {
    let created = !path.exists();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    cut_torn_line(&mut file)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(lines)?;
    file.sync_data()?;
    if created && let Some(folder) = path.parent() {
        // A new file is found after a crash only if its folder is on disk as well.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Removes the rest of a line that a crash or a full disk left. Its event was not marked as delivered, so it
/// is written again.
fn cut_torn_line(file: &mut File) -> std::io::Result<()> {
    const STEP: u64 = 4096;
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(STEP);
        let mut piece = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        Read::take(&mut *file, end - start).read_to_end(&mut piece)?;
        if let Some(newline) = piece.iter().rposition(|byte| *byte == b'\n') {
            end = start + newline as u64 + 1;
            break;
        }
        end = start;
    }
    if end < length { file.set_len(end) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_cut_off_before_the_next_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("meter.jsonl");
        for (before, after) in [
            ("", "{}\n"),
            ("{\"id\":1}\n", "{\"id\":1}\n{}\n"),
            ("{\"id\":1}\n{\"id\":", "{\"id\":1}\n{}\n"),
            ("{\"id", "{}\n"),
        ] {
            std::fs::write(&path, before).expect("written");
            append(&path, b"{}\n").expect("appended");
            assert_eq!(std::fs::read_to_string(&path).expect("read"), after, "{before:?}");
        }
        let long = format!("{{}}\n{}", "x".repeat(10_000));
        std::fs::write(&path, long).expect("written");
        append(&path, b"[]\n").expect("appended");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "{}\n[]\n");
    }
}
