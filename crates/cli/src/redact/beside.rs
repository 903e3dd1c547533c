//! The name of a file until it is complete, and what killed runs have left under
//! such names.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    process,
};

/// How such names end.
const END: &str = ".redacted";

/// How many bytes of the name of a file its other name has. File systems allow
/// 255 bytes, of which the rest needs up to 42.
const LONGEST: usize = 200;

/// The files of one folder that have such names. Most folders have none, and are
/// listed once.
#[derive(Default)]
pub struct Leftovers {
    folder: PathBuf,
    names: Vec<OsString>,
}

impl Leftovers {
    /// Creates a file beside the one at `path`. Its name has the id of the
    /// process, and no other file has it.
    ///
    /// The file is locked until it is closed: by this, other runs know that it
    /// is in use.
    #[cfg_attr(not(unix), expect(unused_variables))]
    pub fn create(path: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
        let stem = stem(path)?;
        let mut number: u64 = 0;
        loop {
            let mut name = stem.clone();
            name.push(format!("{}-{number}{END}", process::id()));
            let beside = path.with_file_name(name);
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
            number += 1;
            let file = match options.open(&beside) {
                // A process with the same id was interrupted.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
                Ok(file) => file,
            };
            match file.try_lock() {
                // Another run has seen the file before it was locked, and
                // removes it.
                Err(TryLockError::WouldBlock) => continue,
                Ok(()) if fs::symlink_metadata(&beside).is_err() => continue,
                // Without locks, no run removes what others have left.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            return Ok((beside, file));
        }
    }

    /// Removes what killed runs have left beside a file, whether there is one
    /// or not. It can be another name of that file.
    pub fn remove(&mut self, path: &Path) -> io::Result<()> {
        let stem = stem(path)?;
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if self.folder != folder {
            self.folder = folder.to_path_buf();
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name());
            let end = END.as_bytes();
            let is_one =
                |name: &OsString| name.as_encoded_bytes().ends_with(end);
            self.names = names.filter(is_one).collect();
        }
        self.names.retain(|name| {
            let is_left = is_beside(name, &stem);
            if is_left {
                // If it stays, it does no harm.
                _ = remove_unlocked(&folder.join(name));
            }
            !is_left
        });
        Ok(())
    }
}

/// Removes a file, unless a run has locked it.
fn remove_unlocked(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_file() {
        let file = OpenOptions::new().write(true).open(path)?;
        file.try_lock()?;
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Returns whether a name is one that [`Leftovers::create`] makes.
fn is_beside(name: &OsStr, stem: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let rest = name.strip_prefix(stem.as_encoded_bytes());
    let rest = rest.and_then(|rest| rest.strip_suffix(END.as_bytes()));
    let Some(dash) = rest.and_then(|r| r.iter().position(|b| *b == b'-'))
    else {
        return false;
    };
    let (process, number) = rest.unwrap_or_default().split_at(dash);
    let is_number =
        |n: &[u8]| !n.is_empty() && n.iter().all(u8::is_ascii_digit);
    is_number(process) && number.split_first().is_some_and(|n| is_number(n.1))
}

/// Returns how the other names of a file begin: with its name, or with the first
/// part of a long name.
fn stem(path: &Path) -> io::Result<OsString> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::other("not a file"));
    };
    let mut stem = OsString::from(".");
    if name.len() <= LONGEST {
        stem.push(name);
    } else {
        let name = name.to_string_lossy();
        let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= LONGEST;
        let chars = name.char_indices().take_while(fits);
        stem.push(chars.map(|(_, c)| c).collect::<String>());
    }
    stem.push(".");
    Ok(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_runs_are_recognised() {
        let stem = stem(Path::new("a/x.jsonl")).unwrap();
        for (name, expected) in [
            (".x.jsonl.1-0.redacted", true),
            (".x.jsonl.4194304-12.redacted", true),
            (".x.jsonl.redacted", false),
            (".x.jsonl.1.redacted", false),
            (".x.jsonl.-0.redacted", false),
            (".x.jsonl.1-.redacted", false),
            (".x.jsonl.1-0-0.redacted", false),
            (".x.jsonl.1a-0.redacted", false),
            (".x.jsonl.1-0.redacted2", false),
            (".y.jsonl.1-0.redacted", false),
            ("x.jsonl.1-0.redacted", false),
        ] {
            assert_eq!(is_beside(name.as_ref(), &stem), expected, "{name}");
        }
    }
}
