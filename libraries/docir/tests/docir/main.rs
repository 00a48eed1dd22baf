//! Documents as data, from outside: made, written, read, cited and checked.

mod building;
mod citations;
mod places;
mod properties;
mod reading;
mod sample;
