use linetape::Kernel;

use crate::jobs::Job;

pub const USAGE: &str = "\
usage: benches/peers/run [--quick] [--job J1]... [--data NAME]...
                         [--kernel NAME] [--json FILE] [--no-native]
jobs: lines J0 J1 J2 J3 J4 J5 J6
data: transcripts stream tiny events generated/transcript
      generated/stream generated/tool_heavy generated/unicode
      generated/pathological
kernels: avx512 avx2 sse2 portable (for linetape but its decode, which is
         simd-json's)";

/// The options of the program.
#[derive(Default)]
pub struct Options {
    pub quick: bool,
    /// All if empty.
    jobs: Vec<Job>,
    pub data: Vec<String>,
    /// The default kernel if not given.
    pub kernel: Option<Kernel>,
    pub json: Option<String>,
}

impl Options {
    pub fn parse(arguments: Vec<String>) -> Result<Options, String> {
        let mut options = Options::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut next = || arguments.next().ok_or_else(|| USAGE.to_owned());
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--job" => options.jobs.push(job(&next()?)?),
                "--data" => options.data.push(next()?),
                "--kernel" => options.kernel = Some(kernel(&next()?)?),
                "--json" => options.json = Some(next()?),
                _ => return Err(USAGE.to_owned()),
            }
        }
        Ok(options)
    }

    pub fn jobs(&self) -> Vec<Job> {
        match self.jobs.is_empty() {
            true => Job::ALL.to_vec(),
            false => self.jobs.clone(),
        }
    }

    /// The kernel that linetape scans with.
    pub fn kernel(&self) -> Kernel {
        self.kernel.unwrap_or_else(Kernel::best)
    }
}

fn job(name: &str) -> Result<Job, String> {
    Job::named(name).ok_or_else(|| format!("no job `{name}`\n{USAGE}"))
}

fn kernel(name: &str) -> Result<Kernel, String> {
    name.parse().map_err(|_| format!("no kernel `{name}`\n{USAGE}"))
}
