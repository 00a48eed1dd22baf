//! The capability servers behind the gateway: started by it, or registered with it, on real documents.

mod chain;
mod documents;
mod house;
mod registered;
mod videos;
