//! The settings of a neighbour.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The behaviour of the server.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// The protocol era it speaks.
    #[arg(long, value_enum, default_value_t = Era::Legacy)]
    pub era: Era,
    /// Its behaviour before the first request.
    #[arg(long, value_enum, default_value_t = Start::Well)]
    pub start: Start,
    /// Its answers to `tools/list`.
    #[arg(long, value_enum, default_value_t = List::Well)]
    pub list: List,
    /// `--start` and `--list` apply only while this file does not exist.
    #[arg(long, value_name = "FILE")]
    pub well_once: Option<PathBuf>,
    /// Lists this many tools more.
    #[arg(long, default_value_t = 0)]
    pub bulk: usize,
    /// Cuts the list into pages.
    #[arg(long)]
    pub page_size: Option<usize>,
    /// Lists the definitions in this file (one a line, byte for byte) instead of its own.
    #[arg(long, value_name = "FILE")]
    pub definitions: Option<PathBuf>,
    /// The tool `verbatim` answers with the content of this file, byte for byte.
    #[arg(long, value_name = "FILE")]
    pub result: Option<PathBuf>,
    /// Lists a resource with this URI; can be given more than once.
    #[arg(long, value_name = "URI")]
    pub resource: Vec<String>,
    /// Its name in its answers.
    #[arg(long, default_value = "neighbour")]
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Era {
    Legacy,
    Modern,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Start {
    Well,
    /// Never answers a request that opens a connection.
    Hang,
    /// Ends (stdio) or closes every connection (HTTP) at the first message.
    Exit,
    /// Prints text outside of the protocol first.
    Garbage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum List {
    Well,
    /// Never answers.
    Hang,
    /// There is always another page.
    Endless,
    /// The second page is followed by itself.
    Repeat,
    /// The answer has no list in it.
    Shapeless,
}

impl Settings {
    fn is_well(&self) -> bool {
        self.well_once.as_ref().is_some_and(|file| file.exists())
    }

    pub(super) fn start(&self) -> Start {
        if self.is_well() { Start::Well } else { self.start }
    }

    pub(super) fn list(&self) -> List {
        if self.is_well() { List::Well } else { self.list }
    }
}
