//! The folder for what does not fit into the memory.

use std::{
    fs, io,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use datafusion::{
    error::Result,
    execution::{SessionStateBuilder, runtime_env::RuntimeEnvBuilder},
    prelude::SessionContext,
};
use tempfile::{Builder, TempDir};

/// How often it is tried to remove the folder. A query that has not noticed its end may
/// write into it meanwhile.
const ATTEMPTS: u8 = 20;

/// How long to wait before that is tried again.
const PAUSE: Duration = Duration::from_millis(10);

/// The folder of this process.
static FOLDER: Mutex<Option<TempDir>> = Mutex::new(None);

/// Has a context write into a folder that only its owner can read, until [`remove`]. That
/// of DataFusion is removed with the query, which a signal does not wait for.
pub fn prepare(context: &SessionContext) -> Result<()> {
    // No signal comes between the creation of the folder and the moment in which its name
    // is known.
    let mut own = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let mut builder = Builder::new();
    builder.prefix("linetape-sql-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    // Most queries do not need it. To those that do, DataFusion tells why there is none.
    let Ok(folder) = builder.tempdir() else { return Ok(()) };
    let state = context.state_ref();
    let mut state = state.write();
    let runtime = RuntimeEnvBuilder::from_runtime_env(state.runtime_env())
        .with_temp_file_path(folder.path())
        .build()?;
    *state = SessionStateBuilder::from(state.clone())
        .with_runtime_env(Arc::new(runtime))
        .build();
    *own = Some(folder);
    Ok(())
}

/// Removes the folder. After that, nothing can be written into it.
pub fn remove() {
    let mut folder = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(folder) = folder.take() else { return };
    for _ in 0..ATTEMPTS {
        match fs::remove_dir_all(folder.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                thread::sleep(PAUSE);
            }
            _ => return,
        }
    }
}
