use std::{fs, io, path::Path};

use linetape::Error;

use crate::router::{
    Router, about,
    file::{Keep, Target},
    sizes::Sizes,
};

/// Resuming after an earlier router.
impl Router {
    /// Truncates the files that lines were written to, to the sizes that they
    /// had when [`save`](Router::save) was called. Files that no line was
    /// written to before the save are truncated when the next line is written
    /// to them. A file that did not exist at the save is emptied first. A file
    /// that was removed since then begins anew.
    ///
    /// This is for a router that was killed after the save. What other programs
    /// have appended since then is removed, too, since nobody knows which of
    /// the lines are theirs; [`removed`](Router::removed) returns how much it
    /// was. Bytes that were in a file at the save are kept. An incomplete last
    /// line gets a newline if the saved router was itself reopened, repaired or
    /// resumed. Otherwise it is removed before the next line is written. If
    /// nothing was written after the save, use [`reopen`](Router::reopen).
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not from `save`, or if a file cannot
    /// be truncated or is shorter than it was.
    pub fn resume(mut self, state: &[u8]) -> Result<Router, Error> {
        let mut sizes = load(state)?;
        for (name, size) in self.compare(&mut sizes)? {
            let path = self.folder.join(&name);
            let opened = Target::open(&path, Keep::Bytes(size));
            let (mut target, removed) =
                opened.map_err(|e| about(&path, &e))?;
            self.note_removed(&path, removed);
            // A line of another program may have got a newline, which counts.
            target.sync().map_err(|e| about(&path, &e))?;
            sizes.insert(name, target.size());
        }
        self.sizes = sizes;
        Ok(self)
    }

    /// Continues after a router that has written nothing after its last
    /// [`save`](Router::save). What other programs have appended to its files
    /// since then stays there; a last line without a newline gets one. A file
    /// that was removed begins anew.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not from `save`, or if a file is
    /// shorter than it was.
    ///
    /// # Example
    ///
    /// This shows that a line of another program stays.
    ///
    /// ```
    /// use linetape_flow::Router;
    /// use std::fs;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir()
    /// #     .join(format!("linetape-reopen-{}", std::process::id()));
    /// let mut router = Router::by_kind(&folder)?;
    /// router.write("user", b"{}")?;
    /// let state = router.save()?;
    /// drop(router);
    /// let path = folder.join("user.jsonl");
    /// fs::write(&path, "{}\n{\"other\":1}\n")?;
    ///
    /// let mut router = Router::by_kind(&folder)?.reopen(&state)?;
    /// router.write("user", b"{}")?;
    /// router.flush()?;
    /// assert_eq!(fs::read_to_string(&path)?, "{}\n{\"other\":1}\n{}\n");
    /// # fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn reopen(mut self, state: &[u8]) -> Result<Router, Error> {
        let mut sizes = load(state)?;
        self.compare(&mut sizes)?;
        self.sizes.adopt(&sizes);
        Ok(self)
    }

    /// Continues after a router that was killed, like [`resume`], but keeps
    /// the complete lines that were written after the [`save`](Router::save).
    /// Only incomplete last lines of files that are new or longer than the
    /// saved size are removed. Use it if some lines cannot be delivered again.
    /// Lines that are delivered again are then in the files twice.
    ///
    /// [`resume`]: Router::resume
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not from `save`, or if a file cannot
    /// be truncated or is shorter than it was.
    pub fn repair(mut self, state: &[u8]) -> Result<Router, Error> {
        let mut sizes = load(state)?;
        self.compare(&mut sizes)?;
        for name in self.sizes.grown(&sizes) {
            let path = self.folder.join(&name);
            let opened = Target::open(&path, Keep::Lines);
            let (mut target, removed) =
                opened.map_err(|e| about(&path, &e))?;
            self.note_removed(&path, removed);
            target.sync().map_err(|e| about(&path, &e))?;
            self.sizes.remove(&name);
            self.sizes.insert(name, target.size());
        }
        self.sizes.adopt(&sizes);
        Ok(self)
    }

    /// Compares the files that were written to with their sizes, and removes
    /// the sizes of those that are gone. Returns those that have grown, with
    /// the sizes that they had.
    fn compare(&self, sizes: &mut Sizes) -> Result<Vec<(String, u64)>, Error> {
        let (mut grown, mut gone) = (vec![], vec![]);
        for (name, size) in sizes.written() {
            let path = self.folder.join(name);
            match fs::metadata(&path) {
                Ok(facts) if facts.len() < size => {
                    return Err(shorter(&path, size, facts.len()).into());
                }
                Ok(facts) if facts.len() > size => {
                    grown.push((name.to_string(), size));
                }
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    gone.push(name.to_string());
                }
                Err(error) => return Err(about(&path, &error).into()),
            }
        }
        gone.iter().for_each(|name| _ = sizes.remove(name));
        Ok(grown)
    }
}

fn load(state: &[u8]) -> Result<Sizes, Error> {
    let sizes = Sizes::load(state);
    sizes.ok_or_else(|| Error::invalid_state("not the state of a router"))
}

/// Returns the error of a file that is shorter than it was.
fn shorter(path: &Path, before: u64, now: u64) -> io::Error {
    let why = format!(
        "{now} bytes, but the last run left {before}; restore the file, or \
         move it away to begin a new one"
    );
    about(path, &io::Error::new(io::ErrorKind::InvalidData, why))
}
