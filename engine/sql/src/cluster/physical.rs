use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::{
    common::{Result, exec_err},
    datasource::{
        physical_plan::{FileGroup, FileScanConfig},
        source::DataSourceExec,
    },
    execution::TaskContext,
    logical_expr::AggregateUDF,
    physical_plan::ExecutionPlan,
};
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext,
    PhysicalProtoConverterExtension,
    from_proto::{
        parse_protobuf_file_scan_config, parse_table_schema_from_proto,
    },
    to_proto::serialize_file_scan_config,
};

use super::{
    aggregate,
    wire::{self, MARK, ScanMessage},
};
use crate::{meter::Meter, source::LogSource, table::check_schema};

/// Sends scans of agent logs from a scheduler to its executors.
///
/// Everything else is left to the codec of Ballista.
///
/// # Example
///
/// This shows how an executor counts what it reads.
///
/// ```
/// use linetape_sql::{Meter, cluster::LogPhysicalCodec};
///
/// let meter = Meter::default();
/// let codec = LogPhysicalCodec::new(meter.clone());
/// # let _ = codec;
/// assert_eq!(meter.read(), 0);
/// ```
#[derive(Debug, Default)]
pub struct LogPhysicalCodec {
    inner: BallistaPhysicalExtensionCodec,
    meter: Meter,
}

impl LogPhysicalCodec {
    /// Creates a codec whose scans count what they read.
    pub fn new(meter: Meter) -> LogPhysicalCodec {
        LogPhysicalCodec { meter, ..LogPhysicalCodec::default() }
    }
}

impl PhysicalExtensionCodec for LogPhysicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some((&MARK, bytes)) = bytes.split_first() else {
            return self.inner.try_decode(bytes, inputs, context, converter);
        };
        let message: ScanMessage = wire::decode(bytes)?;
        let base = message.base()?;
        let (table, on_error, wanted) = message.parts()?;
        let schema = parse_table_schema_from_proto(base)?;
        check_schema(table, schema.table_schema())?;
        let source = LogSource::new(table, schema)
            .with_on_error(on_error)
            .with_meter_of_task(self.meter.clone(), &message.logs)
            .with_wanted(wanted);
        let context = PhysicalPlanDecodeContext::new(context, self);
        let source = Arc::new(source);
        let mut config = parse_protobuf_file_scan_config(
            base, &context, converter, source,
        )?;
        put_tags(&mut config, &message.tags)?;
        Ok(DataSourceExec::from_data_source(config))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        to: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some((config, source)) = parts(node.as_ref()) else {
            return self.inner.try_encode(node, to, converter);
        };
        let mut base = serialize_file_scan_config(config, self, converter)?;
        // A limit has 32 bits there, and a larger one would lose its upper
        // bits. Without a limit, the scan is longer and the rows are the same.
        if config.limit.is_some_and(|limit| u32::try_from(limit).is_err()) {
            base.limit = None;
        }
        let (table, on_error, wanted) = source.parts();
        let (tags, logs) = (tags(config), source.logs());
        let message =
            ScanMessage::new(base, table, on_error, wanted, tags, logs);
        to.push(MARK);
        wire::encode(&message, to)
    }

    fn try_decode_udaf(
        &self,
        name: &str,
        _bytes: &[u8],
    ) -> Result<Arc<AggregateUDF>> {
        aggregate(name)
    }
}

/// Returns a scan of agent logs, if that is what the plan is.
fn parts(node: &dyn ExecutionPlan) -> Option<(&FileScanConfig, &LogSource)> {
    let scan = node.downcast_ref::<DataSourceExec>()?;
    let config = scan.data_source().downcast_ref::<FileScanConfig>()?;
    Some((config, config.file_source().downcast_ref()?))
}

/// Returns the tags of all files, with which a store proves that an object is
/// still the one that was listed.
fn tags(config: &FileScanConfig) -> Vec<String> {
    let files = config.file_groups.iter().flat_map(FileGroup::iter);
    let tags = files.map(|file| file.object_meta.e_tag.clone());
    let tags: Vec<String> = tags.map(Option::unwrap_or_default).collect();
    match tags.iter().all(String::is_empty) {
        true => vec![],
        false => tags,
    }
}

fn put_tags(config: &mut FileScanConfig, tags: &[String]) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    let files: usize = config.file_groups.iter().map(FileGroup::len).sum();
    if files != tags.len() {
        return exec_err!("a scan has {files} files and {} tags", tags.len());
    }
    let mut tags = tags.iter();
    for group in &mut config.file_groups {
        let taken = std::mem::replace(group, FileGroup::new(vec![]));
        let mut files = taken.into_inner();
        for (file, tag) in files.iter_mut().zip(&mut tags) {
            let tag = Some(tag.clone()).filter(|tag| !tag.is_empty());
            file.object_meta.e_tag = tag;
        }
        *group = FileGroup::new(files);
    }
    Ok(())
}
