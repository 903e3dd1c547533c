//! What travels between the processes of a cluster.

use datafusion::common::{DataFusionError, Result, exec_err};
use datafusion_proto::protobuf;
use linetape_arrow::{OnError, Table, Wanted};
use prost::Message;

use crate::location::Location;

/// The first byte of a scan of ours. A message of Ballista never begins with
/// it: it would be a field with the number 0.
pub(super) const MARK: u8 = 0;

/// The version of the messages. Processes with another version are refused.
const VERSION: u32 = 4;

/// A table: what [`LogTable`](crate::LogTable) is made of.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TableMessage {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(string, tag = "2")]
    table: String,
    #[prost(string, tag = "3")]
    on_error: String,
    #[prost(message, repeated, tag = "4")]
    locations: Vec<LocationMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct LocationMessage {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(bool, tag = "2")]
    is_local: bool,
}

impl TableMessage {
    /// Relative paths become absolute ones: only this process knows its
    /// folder.
    pub(super) fn new(
        table: Table,
        on_error: OnError,
        locations: &[Location],
    ) -> Result<TableMessage> {
        let locations = locations.iter().map(|location| {
            Ok(match location.absolute()? {
                Location::Local(text) => {
                    LocationMessage { text, is_local: true }
                }
                Location::Remote(url) => {
                    let text = String::from(url);
                    LocationMessage { text, is_local: false }
                }
            })
        });
        Ok(TableMessage {
            version: VERSION,
            table: table.name().to_string(),
            on_error: on_error.as_str().to_string(),
            locations: locations.collect::<Result<_>>()?,
        })
    }

    pub(super) fn parts(&self) -> Result<(Table, OnError, Vec<Location>)> {
        check_version(self.version)?;
        let locations = self.locations.iter().map(|location| {
            match (location.is_local, location.text.clone()) {
                (true, text) => Ok(Location::Local(text)),
                (false, text) => Location::parse(&text),
            }
        });
        let locations = locations.collect::<Result<_>>()?;
        Ok((table(&self.table)?, on_error(&self.on_error)?, locations))
    }
}

/// A scan: what [`LogSource`](crate::LogSource) is made of, and its files.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ScanMessage {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(message, optional, tag = "2")]
    base: Option<protobuf::FileScanExecConf>,
    #[prost(string, tag = "3")]
    table: String,
    #[prost(string, tag = "4")]
    on_error: String,
    #[prost(message, optional, tag = "5")]
    types: Option<Values>,
    #[prost(message, optional, tag = "6")]
    kinds: Option<Values>,
    #[prost(message, optional, tag = "7")]
    sessions: Option<Values>,
    #[prost(sint64, optional, tag = "8")]
    since: Option<i64>,
    #[prost(sint64, optional, tag = "9")]
    until: Option<i64>,
    /// The tag of each file, in order, or nothing if no file has one. `base`
    /// has no place for them.
    #[prost(string, repeated, tag = "10")]
    pub(super) tags: Vec<String>,
    #[prost(message, optional, tag = "11")]
    block_types: Option<Values>,
    #[prost(string, repeated, tag = "12")]
    phrases: Vec<String>,
    #[prost(bool, tag = "13")]
    without_nested: bool,
    /// Identifies the logs of the scan, for counting their problems.
    #[prost(string, tag = "14")]
    pub(super) logs: String,
}

/// A list that is not the same as no list, even if it is empty.
#[derive(Clone, PartialEq, Message)]
struct Values {
    #[prost(string, repeated, tag = "1")]
    values: Vec<String>,
}

impl ScanMessage {
    pub(super) fn new(
        base: protobuf::FileScanExecConf,
        table: Table,
        on_error: OnError,
        wanted: &Wanted,
        tags: Vec<String>,
        logs: &str,
    ) -> ScanMessage {
        let list = |values: &Option<Vec<String>>| {
            values.clone().map(|values| Values { values })
        };
        ScanMessage {
            version: VERSION,
            base: Some(base),
            table: table.name().to_string(),
            on_error: on_error.as_str().to_string(),
            types: list(&wanted.types),
            kinds: list(&wanted.kinds),
            sessions: list(&wanted.sessions),
            since: wanted.since,
            until: wanted.until,
            tags,
            block_types: list(&wanted.block_types),
            phrases: wanted.phrases.clone(),
            without_nested: wanted.without_nested,
            logs: logs.to_string(),
        }
    }

    pub(super) fn base(&self) -> Result<&protobuf::FileScanExecConf> {
        check_version(self.version)?;
        match &self.base {
            Some(base) => Ok(base),
            None => exec_err!("a scan of agent logs has no files"),
        }
    }

    pub(super) fn parts(&self) -> Result<(Table, OnError, Wanted)> {
        let list = |values: &Option<Values>| {
            values.as_ref().map(|list| list.values.clone())
        };
        let wanted = Wanted {
            types: list(&self.types),
            kinds: list(&self.kinds),
            sessions: list(&self.sessions),
            block_types: list(&self.block_types),
            phrases: self.phrases.clone(),
            without_nested: self.without_nested,
            since: self.since,
            until: self.until,
        };
        Ok((table(&self.table)?, on_error(&self.on_error)?, wanted))
    }
}

fn check_version(version: u32) -> Result<()> {
    match version {
        VERSION => Ok(()),
        other => exec_err!(
            "this process expects version {VERSION} of linetape's messages, \
             and got version {other}: use one version of linetape-sql, \
             linetape-scheduler and linetape-executor"
        ),
    }
}

fn table(name: &str) -> Result<Table> {
    name.parse().map_err(refused)
}

fn on_error(name: &str) -> Result<OnError> {
    name.parse().map_err(refused)
}

fn refused(error: linetape::Error) -> DataFusionError {
    DataFusionError::Execution(error.reason().to_string())
}

/// Appends a message.
pub(super) fn encode(message: &impl Message, to: &mut Vec<u8>) -> Result<()> {
    message.encode(to).map_err(external)
}

/// Reads a message.
pub(super) fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).map_err(external)
}

fn external(
    error: impl std::error::Error + Send + Sync + 'static,
) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
