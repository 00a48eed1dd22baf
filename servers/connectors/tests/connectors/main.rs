//! The program, driven over stdin and stdout by the SDK's client: against a stand-in that speaks SMTP and IMAP, and against a real
//! bucket and a real database.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod bucket;
mod database;
mod drive;
mod encryption;
mod hostile_mail;
mod imap_stand_in;
mod lists;
mod mailbox;
mod sending;
mod smtp_stand_in;
