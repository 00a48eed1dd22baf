//! The capability servers behind the gateway: started by it, or registered with it, on real documents.

mod audit;
mod browsing;
mod chain;
mod documents;
mod house;
mod jobs;
mod registered;
mod six;
mod social;
mod videos;
