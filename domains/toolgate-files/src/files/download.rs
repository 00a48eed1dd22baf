//! Bytes on their way to a client, all or some.

use std::ops::Range;

use toolgate_core::Digest;
use toolgate_core::Refusal;
use toolgate_core::file::FileName;
use toolgate_core::port::TextStream;

use super::FoundContent;
use super::state::Files;
use crate::access::ContentAccess;
use crate::refusal;

/// The content to send.
pub struct DownloadContent {
    pub digest: Digest,
    pub media_type: String,
    pub name: Option<FileName>,
    /// The total size.
    pub bytes: u64,
    /// The range, if not all bytes are sent.
    pub range: Option<Range<u64>>,
    /// Ends with an error if the bytes do not match; then they must not pass for complete.
    pub stream: TextStream,
}

/// One range, as in HTTP's `Range`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteRange {
    From(u64),
    /// With the last one.
    FromTo(u64, u64),
    Last(u64),
}

impl ByteRange {
    /// Parses the header `Range`. `None` for an invalid range or several: then all bytes are sent, as HTTP
    /// requires.
    pub fn parse(header: &str) -> Option<ByteRange> {
        let (unit, range) = header.trim().split_once('=')?;
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (first, last) = range.split_once('-')?;
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Some(ByteRange::FromTo(first, last)),
            (Some(first), None) if last.trim().is_empty() => Some(ByteRange::From(first)),
            (None, Some(last)) if first.trim().is_empty() => Some(ByteRange::Last(last)),
            _ => None,
        }
    }

    /// The range within this many bytes; `None` if it is empty.
    pub fn of(self, bytes: u64) -> Option<Range<u64>> {
        let range = match self {
            ByteRange::From(first) => first..bytes,
            ByteRange::FromTo(first, last) => first..last.saturating_add(1).min(bytes),
            ByteRange::Last(count) => bytes.saturating_sub(count)..bytes,
        };
        (!range.is_empty()).then_some(range)
    }
}

fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl Files {
    /// The bytes that an id names, or some of them.
    pub async fn content(
        &self,
        access: &ContentAccess<'_>,
        id: &str,
        range: Option<ByteRange>,
    ) -> Result<DownloadContent, Refusal> {
        let found = self.resolve(access, id).await?;
        self.open_content(found, range).await
    }

    /// The bytes that were found, or some of them.
    pub async fn open_content(
        &self,
        found: FoundContent,
        range: Option<ByteRange>,
    ) -> Result<DownloadContent, Refusal> {
        let range = match range {
            Some(range) => Some(range.of(found.bytes).ok_or_else(|| refusal::bad_range(found.bytes))?),
            None => None,
        };
        let stream = match &range {
            Some(range) => self.blobs.read_range(found.digest, range.clone()).await?,
            None => self.blobs.open(found.digest, found.bytes).await?,
        };
        let FoundContent { digest, media_type, name, bytes, .. } = found;
        Ok(DownloadContent { digest, media_type, name, bytes, range, stream })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_http_has_it() {
        for (header, bytes, wanted) in [
            ("bytes=0-4", 10, Some(0..5)),
            ("bytes=5-", 10, Some(5..10)),
            ("bytes=-3", 10, Some(7..10)),
            ("bytes=-30", 10, Some(0..10)),
            ("Bytes = 0-99", 10, Some(0..10)),
            ("bytes=9-9", 10, Some(9..10)),
        ] {
            let range = ByteRange::parse(header).unwrap_or_else(|| panic!("{header}"));
            assert_eq!(range.of(bytes), wanted, "{header}");
        }
        for empty in ["bytes=10-", "bytes=10-11", "bytes=-0"] {
            assert_eq!(ByteRange::parse(empty).and_then(|range| range.of(10)), None, "{empty}");
        }
        for none in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=5-4",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=+1-2",
        ] {
            assert_eq!(ByteRange::parse(none), None, "{none}");
        }
        assert_eq!(ByteRange::FromTo(0, u64::MAX).of(3), Some(0..3));
    }
}
