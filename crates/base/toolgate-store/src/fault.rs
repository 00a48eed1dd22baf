//! Failures on demand, for tests of a failing n-th query to the database. A release build has none of it.

#[cfg(any(test, debug_assertions))]
pub(crate) use armed::{Faults, limit_pages};
#[cfg(not(any(test, debug_assertions)))]
pub(crate) use harmless::Faults;

#[cfg(any(test, debug_assertions))]
mod armed {
    use std::sync::atomic::{AtomicU32, Ordering};

    use parking_lot::Mutex;

    use crate::Store;
    use crate::db::{Dialect, Transaction};

    #[derive(Default)]
    pub(crate) struct Faults {
        plan: Mutex<FaultPlan>,
        /// The number of pages at which the disk is full. Zero means never.
        pages_max: AtomicU32,
        /// Whether connections to SQLite must not write. Nothing is set before a test asks for it.
        read_only: Mutex<Option<bool>>,
    }

    #[derive(Clone, Copy, Default)]
    enum FaultPlan {
        #[default]
        None,
        /// The number of operations until the failing one, itself included.
        Once(u64),
        /// The same, and all after it.
        From(u64),
    }

    impl Faults {
        fn set(&self, plan: FaultPlan) {
            *self.plan.lock() = plan;
        }

        pub(crate) fn pages_max(&self) -> u32 {
            self.pages_max.load(Ordering::SeqCst)
        }

        /// The setting of a connection to SQLite before it begins a transaction.
        pub(crate) fn query_only(&self) -> Option<&'static str> {
            let is_read_only = (*self.read_only.lock())?;
            Some(if is_read_only { "PRAGMA query_only = 1" } else { "PRAGMA query_only = 0" })
        }

        fn is_to_come(&self) -> bool {
            let plan = self.plan.lock();
            matches!(*plan, FaultPlan::Once(1..) | FaultPlan::From(1..))
        }

        pub(crate) fn check(&self) -> Result<(), sqlx::Error> {
            let mut plan = self.plan.lock();
            let (next, fails) = match *plan {
                FaultPlan::None => (FaultPlan::None, false),
                FaultPlan::Once(left) if left > 1 => (FaultPlan::Once(left - 1), false),
                FaultPlan::Once(_) => (FaultPlan::None, true),
                FaultPlan::From(left) if left > 1 => (FaultPlan::From(left - 1), false),
                FaultPlan::From(_) => (FaultPlan::From(0), true),
            };
            *plan = next;
            match fails {
                true => Err(sqlx::Error::Io(std::io::Error::other("a failure that a test asked for"))),
                false => Ok(()),
            }
        }
    }

    /// For tests; a release build has none of it.
    impl Store {
        /// Makes the n-th of the following operations on the database fail, counting from 1. A commit is two:
        /// it may fail, or only its confirmation may be lost.
        pub fn fail_nth(&self, n: u64) {
            self.db.faults().set(FaultPlan::Once(n));
        }

        /// Makes the n-th operation and all after it fail, as if the database were gone.
        pub fn fail_from_nth(&self, n: u64) {
            self.db.faults().set(FaultPlan::From(n));
        }

        /// Stops all failures on demand.
        pub fn fail_never(&self) {
            self.db.faults().set(FaultPlan::None);
        }

        /// True if the requested failure has not happened yet.
        pub fn is_fault_to_come(&self) -> bool {
            self.db.faults().is_to_come()
        }

        /// Makes every transaction on SQLite find the disk full beyond this many pages and the existing ones.
        pub fn limit_pages(&self, pages: u32) {
            self.db.faults().pages_max.store(pages, Ordering::SeqCst);
        }

        /// Makes every transaction on SQLite find that its file system is mounted read-only.
        pub fn make_read_only(&self) {
            *self.db.faults().read_only.lock() = Some(true);
        }

        pub fn make_writable(&self) {
            *self.db.faults().read_only.lock() = Some(false);
        }
    }

    pub(crate) async fn limit_pages(mut transaction: Transaction) -> Result<Transaction, sqlx::Error> {
        let pages = transaction.faults().pages_max();
        if pages > 0 && transaction.dialect() == Dialect::Sqlite {
            let limit = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
            transaction.sql(limit).execute().await?;
        }
        Ok(transaction)
    }
}

#[cfg(not(any(test, debug_assertions)))]
mod harmless {
    #[derive(Default)]
    pub(crate) struct Faults;

    impl Faults {
        pub(crate) fn check(&self) -> Result<(), sqlx::Error> {
            Ok(())
        }
    }
}
