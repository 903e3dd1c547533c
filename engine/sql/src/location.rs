//! Where logs are, and which files that means.

use std::{
    collections::BTreeSet,
    env,
    path::{Component, Path, PathBuf},
};

use datafusion::{
    common::{DataFusionError, Result, plan_err},
    datasource::listing::PartitionedFile,
    execution::object_store::ObjectStoreUrl,
};
use futures::TryStreamExt;
use linetape_arrow::log_files;
use linetape_flow::has_better_copy;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, path};
use url::{Position, Url};

use crate::{
    local::{Listed, look_up},
    pattern::{self, is_pattern},
};

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
        // They are no part of the path, and what is left would name others.
        if url.query().is_some() || url.fragment().is_some() {
            return plan_err!(
                "`{text}`: in a URL, write %3F for `?` and %23 for `#`"
            );
        }
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
                // As DataFusion names its stores: with the port.
                let host = &url[Position::BeforeHost..Position::AfterPort];
                ObjectStoreUrl::parse(format!("{}://{host}", url.scheme()))
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
    ) -> Result<Vec<Listed>> {
        match self {
            Location::Local(text) => {
                let text = text.clone();
                // A folder may be slow, for example on a network.
                let listed = tokio::task::spawn_blocking(move || {
                    let paths = local_files(&text)?;
                    paths.iter().map(|path| look_up(path)).collect()
                });
                listed.await.map_err(external)?
            }
            Location::Remote(url) => {
                let metas = remote_files(url, store).await?;
                let listed = metas.into_iter().map(|meta| Listed {
                    whole: PathBuf::from(meta.location.as_ref()),
                    file: PartitionedFile::from(meta),
                });
                Ok(listed.collect())
            }
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
    if is_pattern(text) && !path.exists() {
        return matching_files(text, &path);
    }
    let files = log_files(resolved(path)?).map_err(external)?;
    files.into_iter().map(|file| Ok(std::path::absolute(file)?)).collect()
}

/// Returns the logs that match a pattern, by the rule for folders: only names
/// of logs, each file once, and one of several copies. Folders that match are
/// searched.
fn matching_files(text: &str, pattern: &Path) -> Result<Vec<PathBuf>> {
    let matches = pattern::matches(pattern)?;
    let mut files = BTreeSet::new();
    let has_any = !matches.is_empty();
    for found in matches {
        let is_folder = found.is_dir();
        if !is_folder && !linetape_flow::is_log(&found) {
            continue;
        }
        let path = std::path::absolute(resolved(found)?)?;
        if !is_folder {
            files.extend(log_files(path).map_err(external)?);
            continue;
        }
        let logs = linetape_flow::logs(path).map_err(|error| {
            let error = DataFusionError::IoError(error.into());
            error.context("cannot read logs")
        })?;
        files.extend(logs);
    }
    let is_kept = |path: &&PathBuf| !has_better_copy(path, &files);
    let kept: Vec<PathBuf> = files.iter().filter(is_kept).cloned().collect();
    match (kept.is_empty(), has_any) {
        (false, _) => Ok(kept),
        (true, false) => plan_err!("no file matches `{text}`"),
        (true, true) => {
            plan_err!("no *.jsonl or *.ndjson file matches `{text}`")
        }
    }
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
    let pattern = match path.as_ref().find(['*', '[']) {
        None => None,
        Some(_) => Some(glob::Pattern::new(path.as_ref()).map_err(external)?),
    };
    if !url.path().ends_with('/') {
        // A prefix without its `/` is a folder too, and an object may have the
        // name of a pattern.
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
    let name = |meta: &ObjectMeta| PathBuf::from(meta.location.as_ref());
    let names: BTreeSet<PathBuf> = metas.iter().map(name).collect();
    metas.retain(|meta| !has_better_copy(name(meta), &names));
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
