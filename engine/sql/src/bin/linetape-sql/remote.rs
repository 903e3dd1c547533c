//! Stands for `linetape_sql::cluster` in a command without it.

use datafusion::{
    common::{Result, plan_err},
    physical_plan::ExecutionPlan,
    prelude::SessionContext,
};
use linetape_sql::Settings;

pub async fn connect(_: &str, _: &Settings) -> Result<SessionContext> {
    plan_err!(
        "this linetape-sql was built without clusters: cargo install \
         linetape-sql --features cluster"
    )
}

pub async fn bad_lines(_: &str, _: &dyn ExecutionPlan) -> Result<u64> {
    Ok(0)
}
