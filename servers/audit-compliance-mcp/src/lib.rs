#![doc = include_str!("../README.md")]

// What a check reads and reports.
pub mod content;
mod cos;
pub mod report;
mod sarif;

// The checks.
pub mod contract;
pub mod licenses;
pub mod metadata;
pub mod personal;
pub mod readability;
pub mod redaction;
pub mod standard;
pub mod versions;
pub mod web;

// The server.
pub mod tools;
