//! The lines of a stream for a verification, page by page. The bytes of a page lie in one buffer.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{Connection, params};

use super::super::sqlite::{self, failed};
use crate::Store;

/// The number of lines that are read at once. The next ones are read while these are hashed.
const PAGE: i64 = 4_096;
/// Most pages fit.
const PAGE_BYTES_USUAL: usize = PAGE as usize * 320;

const LINES: &str = "SELECT day, number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 \
     AND (day, number) > ($3, $4) ORDER BY day, number LIMIT $5";

/// The place of a line, as its columns say.
#[derive(Clone, Copy)]
pub(super) struct PagePlace {
    pub(super) day: i64,
    pub(super) number: i64,
    pub(super) time: i64,
}

#[derive(Default)]
pub(super) struct LinePage {
    /// Each with the end of its bytes.
    places: Vec<(PagePlace, usize)>,
    bytes: Vec<u8>,
}

impl LinePage {
    fn new() -> Self {
        Self { places: Vec::with_capacity(PAGE as usize), bytes: Vec::with_capacity(PAGE_BYTES_USUAL) }
    }

    fn push(&mut self, place: PagePlace, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.places.push((place, self.bytes.len()));
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn last(&self) -> Option<PagePlace> {
        self.places.last().map(|(place, _)| *place)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (PagePlace, &[u8])> {
        let starts = std::iter::once(0).chain(self.places.iter().map(|(_, end)| *end));
        self.places.iter().zip(starts).map(|((place, end), start)| (*place, &self.bytes[start..*end]))
    }
}

/// The way to the pages. SQLite is read through a connection of its own, which hands no row to another thread.
#[derive(Clone)]
pub(super) enum PageSource {
    Own(Arc<Mutex<Connection>>),
    Pool,
}

impl Store {
    pub(super) fn page_source(&self) -> Result<PageSource, sqlx::Error> {
        let Some((path, _)) = self.db.sqlite_file() else { return Ok(PageSource::Pool) };
        let connection = sqlite::open_to_read(&path).map_err(failed)?;
        Ok(PageSource::Own(Arc::new(Mutex::new(connection))))
    }

    /// The lines after a day and a number.
    pub(super) async fn page_of_lines(
        &self,
        source: &PageSource,
        stream: &str,
        after: (i64, i64),
    ) -> Result<LinePage, sqlx::Error> {
        match source {
            PageSource::Own(connection) => {
                self.db.check_fault()?;
                let (tenant, stream) = (self.tenant, stream.to_owned());
                let connection = Arc::clone(connection);
                let reading =
                    tokio::task::spawn_blocking(move || read(&connection.lock(), tenant, &stream, after));
                reading.await.expect("reading does not panic").map_err(failed)
            }
            PageSource::Pool => {
                let page = self.db.sql(LINES).bind(self.tenant).bind(stream).bind(after.0).bind(after.1);
                let rows: Vec<(i64, i64, i64, Vec<u8>)> = page.bind(PAGE).fetch_all().await?;
                let mut page = LinePage::new();
                for (day, number, time, line) in rows {
                    page.push(PagePlace { day, number, time }, &line);
                }
                Ok(page)
            }
        }
    }
}

fn read(
    connection: &Connection,
    tenant: &str,
    stream: &str,
    after: (i64, i64),
) -> rusqlite::Result<LinePage> {
    let mut statement = connection.prepare_cached(LINES)?;
    let mut rows = statement.query(params![tenant, stream, after.0, after.1, PAGE])?;
    let mut page = LinePage::new();
    while let Some(row) = rows.next()? {
        let place = PagePlace { day: row.get(0)?, number: row.get(1)?, time: row.get(2)? };
        page.push(place, row.get_ref(3)?.as_blob()?);
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lie_beside_each_other_and_are_told_apart() {
        let mut page = LinePage::default();
        for (number, line) in [(1, "one"), (2, ""), (3, "three")] {
            page.push(PagePlace { day: 0, number, time: number }, line.as_bytes());
        }
        let read: Vec<(i64, &[u8])> = page.iter().map(|(place, line)| (place.number, line)).collect();
        assert_eq!(read, [(1, &b"one"[..]), (2, b""), (3, b"three")]);
        assert_eq!((page.len(), page.last().map(|place| place.number)), (3, Some(3)));
    }
}
