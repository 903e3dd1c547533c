//! One list of files for all tables of a statement.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use datafusion::{
    catalog::Session, common::Result, datasource::listing::PartitionedFile,
};
use tokio::sync::Mutex;

/// How long a list is used. A program may run a statement again later, and
/// wants to see what was appended since.
const KEPT: Duration = Duration::from_secs(10);

/// The files of the last statement. Clones share it.
///
/// A statement may read a folder several times: in two tables that are joined,
/// or in a view. If each had a list of its own, a file that is added between
/// them would be in some of them only, and the rows would not fit together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing(Arc<Mutex<Option<Last>>>);

#[derive(Debug)]
struct Last {
    /// When the statement began, which identifies it.
    statement: i64,
    at: Instant,
    files: Vec<PartitionedFile>,
}

impl Listing {
    /// Returns the list of a statement, from `list` if it is the first time.
    pub(crate) async fn of(
        &self,
        state: &dyn Session,
        list: impl Future<Output = Result<Vec<PartitionedFile>>>,
    ) -> Result<Vec<PartitionedFile>> {
        let began = state.execution_props().query_execution_start_time;
        let Some(statement) = began.and_then(|t| t.timestamp_nanos_opt())
        else {
            return list.await;
        };
        let mut last = self.0.lock().await;
        if let Some(last) = &*last
            && last.statement == statement
            && last.at.elapsed() < KEPT
        {
            return Ok(last.files.clone());
        }
        let files = list.await?;
        let (at, kept) = (Instant::now(), files.clone());
        *last = Some(Last { statement, at, files: kept });
        Ok(files)
    }
}
