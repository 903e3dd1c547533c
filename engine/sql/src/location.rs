//! Where logs are, and which files that means.

use std::{
    collections::BTreeSet,
    env,
    path::{Component, Path, PathBuf},
};

use datafusion::{
    common::{DataFusionError, Result, plan_err},
    execution::object_store::ObjectStoreUrl,
};
use futures::TryStreamExt;
use linetape_arrow::log_files;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, path};
use url::Url;

/// A place with logs, as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// A file or folder on this machine, or a pattern of them.
    Local(String),
    /// An object, or all objects with a prefix, or a pattern of them.
    Remote(Url),
}

impl Location {
    pub(crate) fn parse(text: &str) -> Result<Location> {
        if !text.contains("://") {
            return Ok(Location::Local(text.to_string()));
        }
        let url = Url::parse(text)
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        if url.scheme() != "file" {
            return Ok(Location::Remote(url));
        }
        match url.to_file_path() {
            Ok(path) => {
                Ok(Location::Local(path.to_string_lossy().into_owned()))
            }
            Err(()) => plan_err!("`{text}` is not a path on this machine"),
        }
    }

    /// Returns the object store that has the files.
    pub(crate) fn store(&self) -> Result<ObjectStoreUrl> {
        match self {
            Location::Local(_) => Ok(ObjectStoreUrl::local_filesystem()),
            Location::Remote(url) => {
                let host = url.host_str().unwrap_or_default();
                let text = format!("{}://{host}", url.scheme());
                ObjectStoreUrl::parse(text)
            }
        }
    }

    /// Returns the location for a process that has another working folder and
    /// another user.
    #[cfg(feature = "cluster")]
    pub(crate) fn absolute(&self) -> Result<Location> {
        let Location::Local(text) = self else { return Ok(self.clone()) };
        let path = with_home(text);
        let whole = std::path::absolute(&path)?;
        let Some(whole) = whole.to_str() else {
            return plan_err!("`{text}` is not valid Unicode here");
        };
        if !is_pattern(text) || path.exists() || path.is_absolute() {
            return Ok(Location::Local(whole.to_string()));
        }
        // Of the name of the working folder, nothing is a pattern.
        let folder = env::current_dir()?;
        let folder = glob::Pattern::escape(&folder.to_string_lossy());
        let path = Path::new(&folder).join(&path);
        Ok(Location::Local(path.to_string_lossy().into_owned()))
    }

    /// Lists the files, in the order in which they are read.
    pub(crate) async fn files(
        &self,
        store: &dyn ObjectStore,
    ) -> Result<Vec<ObjectMeta>> {
        match self {
            Location::Local(text) => {
                let text = text.clone();
                // A folder may be slow, for example on a network.
                let listed =
                    tokio::task::spawn_blocking(move || local_files(&text));
                let paths = listed.await.map_err(external)??;
                let mut metas = Vec::with_capacity(paths.len());
                for path in paths {
                    let location = path::Path::from_absolute_path(&path)
                        .map_err(external)?;
                    let found = store.head(&location).await;
                    metas.push(found.map_err(|error| {
                        let path = path.display();
                        let error = DataFusionError::from(error);
                        error.context(format!("cannot read {path}"))
                    })?);
                }
                Ok(metas)
            }
            Location::Remote(url) => remote_files(url, store).await,
        }
    }
}

fn external(
    error: impl std::error::Error + Send + Sync + 'static,
) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Returns the absolute paths of the logs that a path or a pattern names.
fn local_files(text: &str) -> Result<Vec<PathBuf>> {
    let path = with_home(text);
    let mut roots = vec![];
    if is_pattern(text) && !path.exists() {
        let matches = glob::glob(&path.to_string_lossy()).map_err(external)?;
        for found in matches {
            roots.push(found.map_err(external)?);
        }
        if roots.is_empty() {
            return plan_err!("no file matches `{text}`");
        }
    } else {
        roots.push(path);
    }
    let mut files = vec![];
    for root in roots {
        for file in log_files(resolved(root)?).map_err(external)? {
            files.push(std::path::absolute(file)?);
        }
    }
    Ok(files)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Removes `..` from a path, which object stores do not know.
fn resolved(path: PathBuf) -> Result<PathBuf> {
    let is_up = |part: Component<'_>| part == Component::ParentDir;
    if !path.components().any(is_up) {
        return Ok(path);
    }
    let whole = |path: &Path| {
        path.canonicalize().map_err(|error| {
            let error = DataFusionError::IoError(error);
            error.context(format!("cannot read {}", path.display()))
        })
    };
    match (path.parent(), path.file_name()) {
        // The file itself may be a link, and keeps its name.
        (Some(folder), Some(name)) => Ok(whole(folder)?.join(name)),
        _ => whole(&path),
    }
}

/// Replaces `~/` by the user's folder, as a shell does: inside of SQL, there is
/// no shell.
fn with_home(text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(text),
    }
}

async fn remote_files(
    url: &Url,
    store: &dyn ObjectStore,
) -> Result<Vec<ObjectMeta>> {
    let path = path::Path::from_url_path(url.path()).map_err(external)?;
    // A `?` begins the query of a URL, and is no part of a pattern.
    let pattern = match path.as_ref().find(['*', '[']) {
        None => None,
        Some(_) => Some(glob::Pattern::new(path.as_ref()).map_err(external)?),
    };
    if pattern.is_none() && !url.path().ends_with('/') {
        // A prefix without its `/` is a folder too.
        match store.head(&path).await {
            Ok(meta) => return Ok(vec![meta]),
            Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let prefix = match &pattern {
        None => path,
        Some(_) => before_pattern(path.as_ref())?,
    };
    // Listed anew each time: a cache would not see lines that are appended.
    let listed: Vec<ObjectMeta> =
        store.list(Some(&prefix)).try_collect().await?;
    let options = glob::MatchOptions {
        require_literal_separator: true,
        ..glob::MatchOptions::default()
    };
    let found = listed.into_iter().filter(|meta| {
        let name = meta.location.as_ref();
        let is_match =
            |pattern: &glob::Pattern| pattern.matches_with(name, options);
        linetape_flow::is_log(name) && pattern.as_ref().is_none_or(is_match)
    });
    let mut metas: Vec<ObjectMeta> = found.collect();
    let names: BTreeSet<String> =
        metas.iter().map(|meta| meta.location.to_string()).collect();
    metas.retain(|meta| !has_better_copy(meta.location.as_ref(), &names));
    if metas.is_empty() {
        return plan_err!("no *.jsonl or *.ndjson files in {url}");
    }
    // As paths are ordered: part by part.
    let parts = |meta: &ObjectMeta| -> Vec<String> {
        let parts = meta.location.as_ref().split('/');
        parts.map(str::to_string).collect()
    };
    metas.sort_by_cached_key(parts);
    Ok(metas)
}

/// Returns the folder before the first part of a path that is a pattern.
fn before_pattern(path: &str) -> Result<path::Path> {
    let is_plain = |part: &&str| !part.contains(['*', '[']);
    let parts: Vec<&str> = path.split('/').take_while(is_plain).collect();
    path::Path::parse(parts.join("/")).map_err(external)
}

/// Returns whether another file is read instead of this one: see
/// [`linetape_flow::logs`].
fn has_better_copy(name: &str, names: &BTreeSet<String>) -> bool {
    let path = Path::new(name);
    let ends_with = |end: &str| {
        path.extension().is_some_and(|name| name.eq_ignore_ascii_case(end))
    };
    let has =
        |path: PathBuf| path.to_str().is_some_and(|name| names.contains(name));
    ((ends_with("gz") || ends_with("zst")) && has(path.with_extension("")))
        || (ends_with("zst") && has(path.with_extension("gz")))
}
