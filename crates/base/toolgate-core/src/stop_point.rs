//! Places in the life of a call where a test can stop the whole process, to kill it there. Builds for users have none.

#[cfg(debug_assertions)]
static ARMED: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// Makes the process stop for good where it next reaches the point of this name.
#[cfg(debug_assertions)]
pub fn arm(name: String) {
    // A second name would be a mistake in the test; the first one stays.
    drop(ARMED.set(name));
}

/// Stops here if a test asked for it.
#[cfg(debug_assertions)]
pub fn reach(name: &str) {
    if ARMED.get().is_some_and(|armed| armed == name) {
        eprintln!("stopped at {name}");
        loop {
            std::thread::park();
        }
    }
}

#[cfg(not(debug_assertions))]
pub fn reach(_name: &str) {}
