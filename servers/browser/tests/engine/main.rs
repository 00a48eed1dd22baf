//! The engine with a real Chromium and a site of its own on loopback: what pages can do, what they try, and what becomes of it.

mod attacks;
mod contexts;
mod downloads;
mod faults;
mod page;
mod pages;
mod processes;
mod site;
mod stage;
