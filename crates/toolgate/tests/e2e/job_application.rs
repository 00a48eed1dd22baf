//! An agent of the gateway's own applies for jobs: real programs, real pages, and a site whose own file says what it received. The
//! files are those of `examples/job-application`.

mod kills;
mod person;
mod processes;
mod stage;
mod stories;
