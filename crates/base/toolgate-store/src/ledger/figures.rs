//! Figures: what events add up to, by minute, hour and day.
//!
//! The events of a part of a block are added up as they come (`events.rs`). The sums are written with the
//! block, in the same transaction (`known.rs`), and readers add the events of the parts that are still open
//! (`read.rs`). So each event counts once, whenever a process dies. Blocks that were written before there
//! were figures are counted in the background (`due.rs`).

mod due;
mod events;
mod kinds;
mod known;
mod read;
mod rows;
mod sums;

pub use kinds::{FigureBy, FigureSpan, OTHER_NAMES};
pub use read::{FigureQuery, FigureSeries};
pub use sums::{Figure, FigureSums, TimeFigure};

pub(super) use due::count_later;
pub(super) use events::PartFigures;
pub(super) use known::{KnownFigures, write};
pub(super) use rows::{COLUMNS, SELECT_SPAN, UPSERT};
