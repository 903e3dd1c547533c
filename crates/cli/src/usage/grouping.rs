//! How usage is grouped and priced.

use std::sync::Arc;

use clap::ValueEnum;
use jiff::tz::TimeZone;

use crate::usage::prices::Prices;

/// How usage is grouped.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum By {
    #[default]
    Model,
    Session,
    Project,
    Day,
    Week,
    Month,
    Tool,
}

impl By {
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or(String::new(), |value| value.get_name().to_string())
    }

    /// Returns whether the groups are periods of time.
    pub fn is_period(self) -> bool {
        matches!(self, By::Day | By::Week | By::Month)
    }
}

/// How usage is grouped and priced.
#[derive(Clone, Default)]
pub struct Grouping {
    pub by: By,
    /// The time zone of days, weeks and months. By default, that of each
    /// timestamp.
    pub zone: Option<TimeZone>,
    pub prices: Option<Arc<Prices>>,
}

impl Grouping {
    /// Returns whether the groups can have a cost. The agent reports none for
    /// a period; with prices, that of a session is spread over its periods.
    pub fn has_cost(&self) -> bool {
        match self.by {
            By::Model | By::Session | By::Project => true,
            By::Day | By::Week | By::Month => self.prices.is_some(),
            By::Tool => false,
        }
    }
}
