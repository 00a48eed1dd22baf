//! A mind for the scripted model: it applies for jobs through the tools of a browser and of a product that keeps applications. It
//! decides from the conversation alone, as a model does, so that any gateway may go on with a run. Its rules are careful in one
//! place: whatever it does not know about the sending click, it puts before a person.

mod attempt;
mod desk;
mod memory;
mod mind;
mod page;
mod says;

pub use mind::applicant;
pub use says::{BROWSER, JOBS, SUBMIT};

#[cfg(test)]
mod tests;
