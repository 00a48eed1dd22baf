//! Attacks from the public catalogues against the real program. `docs/guide/attacks.md` has the table: every test here has a
//! row there, and every row names a test.

mod posing;
mod rebinding;
mod server;
mod table;
mod terminal;
mod theft;
