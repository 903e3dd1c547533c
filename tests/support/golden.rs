//! Golden files: what each fixture reads as, as JSON.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

use super::{diff::diff, shown::Shown};

/// The golden files of a folder. All of them are compared before a test fails.
pub struct Golden {
    folder: PathBuf,
    /// The command that writes the files.
    bless: &'static str,
    names: BTreeSet<String>,
    /// The differences found so far, for a person.
    differences: String,
}

impl Golden {
    pub fn new(folder: PathBuf, bless: &'static str) -> Golden {
        let (names, differences) = Default::default();
        Golden { folder, bless, names, differences }
    }

    /// Compares what the lines of a fixture read as with its golden file.
    pub fn compare(&mut self, fixture: &str, lines: Vec<Shown>) {
        let name = format!("{}.json", fixture.trim_end_matches(".jsonl"));
        let path = self.folder.join(&name);
        let lines: Vec<_> = lines.iter().map(Shown::to_string).collect();
        let got = format!("[\n{}\n]\n", lines.join(",\n"));
        if env::var_os("LINETAPE_BLESS").is_some() {
            fs::write(&path, &got).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let diff = diff(&expected, &got);
        if !diff.is_empty() {
            self.differences += &format!("\n--- {name}\n+++ got\n{diff}");
        }
        self.names.insert(name);
    }

    /// Fails if something differs, or if a file has no fixture.
    pub fn finish(self) {
        assert!(
            self.differences.is_empty(),
            "the fixtures read otherwise than the golden files say\n{}\n\
             If this is what they should read as: {}\n",
            self.differences,
            self.bless
        );
        for entry in fs::read_dir(&self.folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(self.names.contains(&name), "{name} has no fixture");
        }
    }
}
