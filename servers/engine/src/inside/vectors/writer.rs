//! Writing a file of vectors, block by block.
//!
//! A file begins with `tgvec001`, the numbers of a vector (u32) and four zeros. Each block has the number of its rows (u32) and four
//! zeros, then for all rows one after the other: passage numbers (u64), lengths (f32), signs (u64 each), codes (i8 each). All
//! numbers are little-endian. Rows are sorted by passage number.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::block::VectorBlock;
use super::codes::{eighths, signs};

pub(super) const MAGIC: &[u8; 8] = b"tgvec001";
pub(super) const HEADER_BYTES: usize = 16;
pub(super) const BLOCK_HEADER_BYTES: usize = 8;
const BLOCK_ROWS: usize = 4096;

pub(in crate::inside) struct VectorWriter {
    file: BufWriter<File>,
    rows: u64,
    ords: Vec<u8>,
    inverses: Vec<u8>,
    signs: Vec<u8>,
    codes: Vec<u8>,
}

impl VectorWriter {
    pub(in crate::inside) fn new(path: &Path, dimensions: usize) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create_new(path)?);
        file.write_all(MAGIC)?;
        file.write_all(&(dimensions as u32).to_le_bytes())?;
        file.write_all(&[0; 4])?;
        let (ords, inverses, signs, codes) = Default::default();
        Ok(Self { file, rows: 0, ords, inverses, signs, codes })
    }

    pub(in crate::inside) fn push(&mut self, ord: u64, vector: &[f32]) -> io::Result<()> {
        let (codes, inverse) = eighths(vector);
        self.ords.extend(ord.to_le_bytes());
        self.inverses.extend(inverse.to_le_bytes());
        self.signs.extend(signs(vector).into_iter().flat_map(u64::to_le_bytes));
        self.codes.extend(codes.into_iter().map(|code| code as u8));
        self.count_row()
    }

    /// A row of another file.
    pub(in crate::inside) fn copy(&mut self, block: &VectorBlock, row: usize) -> io::Result<()> {
        self.ords.extend(block.ord(row).to_le_bytes());
        self.inverses.extend(block.inverse(row).to_le_bytes());
        self.signs.extend(block.signs_of(row));
        self.codes.extend(block.codes(row));
        self.count_row()
    }

    /// The number of rows.
    pub(in crate::inside) fn finish(mut self) -> io::Result<u64> {
        self.write_block()?;
        self.file.flush()?;
        Ok(self.rows)
    }

    fn count_row(&mut self) -> io::Result<()> {
        self.rows += 1;
        if self.inverses.len() == 4 * BLOCK_ROWS { self.write_block() } else { Ok(()) }
    }

    fn write_block(&mut self) -> io::Result<()> {
        let rows = self.inverses.len() / 4;
        if rows == 0 {
            return Ok(());
        }
        self.file.write_all(&(rows as u32).to_le_bytes())?;
        self.file.write_all(&[0; 4])?;
        for part in [&mut self.ords, &mut self.inverses, &mut self.signs, &mut self.codes] {
            self.file.write_all(part)?;
            part.clear();
        }
        Ok(())
    }
}
