//! A site with vacancies: a single form, a wizard in an iframe with an upload, and a portal with a login, a code and a shadow
//! DOM. Faults come with the address of a vacancy. The file of what it received is the judge of every story: it is written
//! before the answer, and survives any end of the process.

mod address;
mod books;
mod html;
mod pages;
mod reading;
mod server;
mod site;
mod visitors;

pub use address::{SiteFault, VacancyAddress, VacancyKind};
pub use books::ReceivedApplication;
pub use server::JobSite;

#[cfg(test)]
mod tests;
