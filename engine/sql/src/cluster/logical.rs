use std::sync::Arc;

use ballista_core::serde::BallistaLogicalExtensionCodec;
use datafusion::{
    arrow::datatypes::SchemaRef,
    catalog::TableProvider,
    common::{Result, TableReference},
    datasource::file_format::FileFormatFactory,
    execution::TaskContext,
    logical_expr::{AggregateUDF, Extension, LogicalPlan},
};
use datafusion_proto::logical_plan::LogicalExtensionCodec;

use super::{
    aggregate,
    wire::{self, TableMessage},
};
use crate::{
    listing::Listing,
    table::{LogTable, check_schema},
};

/// Sends tables of agent logs from a client to a scheduler.
///
/// Everything else is left to the codec of Ballista.
///
/// # Example
///
/// This shows how a scheduler is told of the tables.
///
/// ```
/// use datafusion_proto::logical_plan::LogicalExtensionCodec;
/// use linetape_sql::cluster::LogLogicalCodec;
/// use std::sync::Arc;
///
/// let codec: Arc<dyn LogicalExtensionCodec> =
///     Arc::new(LogLogicalCodec::default());
/// ```
#[derive(Debug, Default)]
pub struct LogLogicalCodec {
    inner: BallistaLogicalExtensionCodec,
    /// All tables of a query have the same files.
    listing: Listing,
}

impl LogicalExtensionCodec for LogLogicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        self.inner.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, to: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode(node, to)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        _name: &TableReference,
        schema: SchemaRef,
        _context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        // The only tables that Ballista does not encode itself are ours.
        let message: TableMessage = wire::decode(bytes)?;
        let (table, on_error, locations) = message.parts()?;
        check_schema(table, &schema)?;
        let table = LogTable::at(table, locations)?
            .listing(self.listing.clone())
            .on_error(on_error);
        Ok(Arc::new(table))
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        provider: Arc<dyn TableProvider>,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(table) = provider.downcast_ref::<LogTable>() else {
            return self.inner.try_encode_table_provider(name, provider, to);
        };
        let (table, on_error, locations) = table.parts();
        let message = TableMessage::new(table, on_error, locations)?;
        wire::encode(&message, to)
    }

    fn try_decode_udaf(
        &self,
        name: &str,
        _bytes: &[u8],
    ) -> Result<Arc<AggregateUDF>> {
        aggregate(name)
    }

    // COPY ... TO writes files of these formats.

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.inner.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(
        &self,
        to: &mut Vec<u8>,
        format: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.inner.try_encode_file_format(to, format)
    }
}
