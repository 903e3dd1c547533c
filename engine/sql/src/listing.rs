//! One list of files for all tables of a statement.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use datafusion::{
    catalog::Session, common::Result, datasource::listing::PartitionedFile,
};
use tokio::sync::OnceCell;

use crate::location::Location;

/// How long a list is used. A program may run a statement again later, and
/// wants to see what was appended since.
const KEPT: Duration = Duration::from_secs(10);

/// The lists of files of recent statements. Clones share them.
///
/// A statement may read a folder several times: in two tables that are joined,
/// or in a view. If each had a list of its own, a file that is added between
/// them would be in some of them only, and the rows would not fit together.
/// A scheduler plans several statements at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing(Arc<Mutex<Vec<Last>>>);

#[derive(Clone, Debug)]
struct Last {
    /// When the statement began, which identifies it.
    statement: i64,
    locations: Vec<Location>,
    files: Files,
}

/// The files, and when they were listed.
type Files = Arc<OnceCell<(Instant, Vec<PartitionedFile>)>>;

impl Last {
    /// Returns whether the list is too old, or could not be made.
    fn is_over(&self) -> bool {
        match self.files.get() {
            Some((at, _)) => at.elapsed() >= KEPT,
            None => Arc::strong_count(&self.files) == 1,
        }
    }
}

impl Listing {
    /// Returns the list of a statement, from `list` if it is the first time.
    pub(crate) async fn of(
        &self,
        state: &dyn Session,
        locations: &[Location],
        list: impl Future<Output = Result<Vec<PartitionedFile>>>,
    ) -> Result<Vec<PartitionedFile>> {
        let began = state.execution_props().query_execution_start_time;
        let Some(statement) = began.and_then(|t| t.timestamp_nanos_opt())
        else {
            return list.await;
        };
        let files = self.cell(statement, locations);
        let listed = files.get_or_try_init(async || {
            list.await.map(|files| (Instant::now(), files))
        });
        Ok(listed.await?.1.clone())
    }

    /// Returns the cell for the list of a statement, which may still be empty.
    fn cell(&self, statement: i64, locations: &[Location]) -> Files {
        let last = self.0.lock();
        let mut last = last.unwrap_or_else(PoisonError::into_inner);
        last.retain(|last| !last.is_over());
        let known = last.iter().find(|last| {
            last.statement == statement && last.locations == locations
        });
        if let Some(known) = known {
            return Arc::clone(&known.files);
        }
        let files = Files::default();
        last.push(Last {
            statement,
            locations: locations.to_vec(),
            files: Arc::clone(&files),
        });
        files
    }
}
