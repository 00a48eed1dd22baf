//! The migrations are embedded by a macro, which cargo does not see depend on the folder.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
