/*!
Scheduler and executors for SQL over agent logs, with
[Apache Ballista](https://datafusion.apache.org/ballista).

```text
linetape-sql --cluster ──► linetape-scheduler ──► linetape-executor (several)
plans the query            lists the files,       read ranges of files, and
                           divides the work       exchange rows
```

- [`run_scheduler`] and [`run_executor`] are what the commands
  `linetape-scheduler` and `linetape-executor` run.
- [`linetape_sql::cluster`] has the client, and the codecs with which tables and
  scans travel.

The files are not sent: the scheduler and all executors must see each path of a
query under the same name.

**Ballista does not authenticate anybody.** Whoever reaches a port of these
processes can read and write files with their rights. That is why all of them
listen on the loopback interface, unless told otherwise.
*/
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

mod address;
mod end;
mod executor;
mod folder;
mod jobs;
mod members;
mod reason;
mod scheduler;
mod services;
mod vacant;

pub use address::Bind;
pub use ballista_core::error::{BallistaError, Result};
pub use executor::{Executor, run_executor};
pub use scheduler::{Scheduler, run_scheduler};
