//! The formats of results.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use datafusion::{
    arrow::{
        array::RecordBatch,
        csv,
        datatypes::Schema,
        json::{WriterBuilder, writer::JsonArray},
    },
    common::plan_err,
    dataframe::DataFrame,
    error::{DataFusionError, Result},
    logical_expr::LogicalPlan,
    physical_plan::{ExecutionPlan, collect, execute_stream},
};
use futures::StreamExt;
use linetape_arrow::{ParquetWriter, Table};

use crate::{bar::Bar, grid::Grid, spill};

/// Where the rows go, and how.
pub enum Output<'a> {
    Table,
    Json,
    Csv,
    Parquet(&'a Path),
}

impl Output<'_> {
    /// Runs a query, and prints its rows as they come.
    ///
    /// Returns the plan that was run.
    pub async fn print(
        &self,
        frame: DataFrame,
        bar: &Bar,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = Arc::new(frame.schema().as_arrow().clone());
        let task = Arc::new(frame.task_ctx());
        // A statement such as CREATE has no result. What it does is done, unless
        // DataFusion does not know it.
        let is_statement = matches!(
            frame.logical_plan(),
            LogicalPlan::EmptyRelation(_)
                | LogicalPlan::Ddl(_)
                | LogicalPlan::Statement(_)
        );
        if schema.fields().is_empty() && !is_statement {
            // No format but JSON has a way to print them.
            return plan_err!(
                "the rows of this query have no columns: name some after SELECT"
            );
        }
        if matches!(self, Output::Json | Output::Parquet(_)) {
            check_names(&schema)?;
        }
        let plan = frame.create_physical_plan().await?;
        if schema.fields().is_empty() {
            collect(Arc::clone(&plan), task).await?;
            return Ok(plan);
        }
        let mut stream = execute_stream(Arc::clone(&plan), task)?;
        let mut next = async || stream.next().await.transpose();
        match self {
            Output::Table => {
                let mut grid = Grid::new(out(), &schema);
                while let Some(batch) = next().await? {
                    bar.end();
                    grid.write(&batch)?;
                }
                bar.end();
                let mut out = grid.finish()?;
                out.flush()?;
            }
            Output::Json => {
                let builder = WriterBuilder::new().with_explicit_nulls(true);
                let mut writer = builder.build::<_, JsonArray>(out());
                while let Some(batch) = next().await? {
                    bar.end();
                    writer.write(&batch)?;
                }
                bar.end();
                writer.finish()?;
                let mut out = writer.into_inner();
                writeln!(out)?;
                out.flush()?;
            }
            Output::Csv => {
                let mut writer = csv::Writer::new(out());
                let mut has_any = false;
                while let Some(batch) = next().await? {
                    bar.end();
                    writer.write(&batch)?;
                    has_any = true;
                }
                bar.end();
                if !has_any {
                    writer.write(&RecordBatch::new_empty(schema))?;
                }
                writer.into_inner().flush()?;
            }
            Output::Parquet(path) => {
                let part = Partial::new(path)?;
                let file = BufWriter::new(part.create()?);
                // Of a whole table, the file says which it is.
                let table = Table::with_columns_of(&schema);
                let mut writer = ParquetWriter::new(schema, table, file)?;
                while let Some(batch) = next().await? {
                    writer.write(&batch)?;
                }
                writer.finish()?;
                part.keep()?;
            }
        }
        Ok(plan)
    }
}

/// Refuses two columns with one name, such as those of two tables. Of a JSON object with
/// two such members, most programs read one only, and some refuse such a Parquet file.
fn check_names(schema: &Schema) -> Result<()> {
    let mut names = HashSet::new();
    let mut fields = schema.fields().iter();
    match fields.find(|field| !names.insert(field.name())) {
        Some(field) => plan_err!(
            "two columns have the same name, {}: give one of them another name with \
             AS, or use --csv",
            field.name()
        ),
        None => Ok(()),
    }
}

fn out() -> BufWriter<Out> {
    BufWriter::new(Out)
}

/// Whether the reader of standard output has closed it.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Returns whether standard output has been closed. Errors do not tell: those of
/// CSV have lost their cause.
pub fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

/// Standard output, which notes that it has been closed.
struct Out;

fn noted<T>(result: io::Result<T>) -> io::Result<T> {
    if let Err(error) = &result
        && error.kind() == io::ErrorKind::BrokenPipe
    {
        IS_CLOSED.store(true, Ordering::Relaxed);
    }
    result
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        noted(io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        noted(io::stdout().flush())
    }
}

/// The path of the file that is not complete yet.
static INCOMPLETE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes a file that is not complete and temporary ones, and ends the process.
pub fn end(code: u8) -> ! {
    // The lock is kept, so that the file is not created again.
    let path = INCOMPLETE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = path.as_ref() {
        let _ = std::fs::remove_file(path);
    }
    spill::remove();
    std::process::exit(code.into())
}

/// A file that is not complete yet, and that is removed unless it is kept.
struct Partial {
    path: PathBuf,
    /// The path as given.
    given: PathBuf,
    /// The path with links resolved.
    target: PathBuf,
}

impl Partial {
    /// Refuses a path that leads to something other than a regular file: it would be
    /// replaced by one.
    fn new(given: &Path) -> Result<Partial> {
        // A link stays one. If there is no file yet, there is none to follow.
        let target = given.canonicalize().unwrap_or_else(|_| given.into());
        if target.exists() && !target.is_file() {
            let why = io::Error::other("it is not a regular file");
            return Err(cannot_write(given, why));
        }
        let mut name = target.as_os_str().to_os_string();
        name.push(format!(".{}.tmp", std::process::id()));
        let (path, given) = (PathBuf::from(name), given.to_path_buf());
        Ok(Partial { path, given, target })
    }

    /// Creates the file, with the permissions of the one that it will replace.
    fn create(&self) -> Result<File> {
        let mut incomplete =
            INCOMPLETE.lock().unwrap_or_else(PoisonError::into_inner);
        *incomplete = Some(self.path.clone());
        let file = File::create(&self.path).and_then(|file| {
            if let Ok(facts) = self.target.metadata() {
                file.set_permissions(facts.permissions())?;
            }
            Ok(file)
        });
        file.map_err(|error| cannot_write(&self.given, error))
    }

    fn keep(self) -> Result<()> {
        let moved = std::fs::rename(&self.path, &self.target);
        moved.map_err(|error| cannot_write(&self.given, error))
    }
}

fn cannot_write(path: &Path, error: io::Error) -> DataFusionError {
    let why = format!("cannot write {}: {error}", path.display());
    DataFusionError::IoError(io::Error::new(error.kind(), why))
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After it has been kept, there is none.
        let _ = std::fs::remove_file(&self.path);
    }
}
