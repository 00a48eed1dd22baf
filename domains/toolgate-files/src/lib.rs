#![doc = include_str!("../README.md")]

mod access;
mod blobs;
mod contents;
mod files;
#[cfg(test)]
mod fixture;
mod media;
mod refs;
mod refusal;
mod sealing;
mod settings;
mod text;

pub use access::Access;
pub use blobs::{Blobs, Put, Shown};
pub use files::{
    Address, Allowance, ArtifactSource, ByteRange, Collected, Content, FilePage, FileQuery, Files, Found,
    NewFile, Offered, Setup, What,
};
pub use refs::{RefMatch, RefPiece, RefWish};
pub use refusal::{file_name, too_large};
pub use settings::{Binary, Place, ResultSettings, S3Place, Settings};
pub use text::{NotText, decode};

pub use toolgate_store::{FILES_PAGE_MAX, PageCursor};
