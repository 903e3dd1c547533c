//! Stands for `linetape_sql::cluster` in a command without it.

use datafusion::{
    common::{Result, plan_err},
    physical_plan::ExecutionPlan,
    prelude::SessionContext,
};
use linetape_sql::{Problems, Settings};

pub async fn connect(_: &str, _: &Settings) -> Result<SessionContext> {
    plan_err!(
        "this linetape-sql was built without clusters: in the folder `engine` of \
         linetape, run `cargo install --locked --path sql --features cluster`"
    )
}

pub async fn problems(_: &str, _: &dyn ExecutionPlan) -> Result<Problems> {
    Ok(Problems::default())
}

pub async fn cancelled() {}
