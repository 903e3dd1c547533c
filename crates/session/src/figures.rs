/*!
What the agent reports of one model.
*/

use linetape::{Error, message::results::ModelUsage};

use crate::{
    growing::Growing,
    state::codec::{Cursor, Saved},
};

/// The figures of one model: cost, input, output, written to the cache, read
/// from the cache, web searches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Model<T>(pub(crate) [T; 6]);

impl<T: Saved> Saved for Model<T> {
    fn save(&self, to: &mut Vec<u8>) {
        self.0.save(to);
    }

    fn load(from: &mut Cursor<'_>) -> Result<Model<T>, Error> {
        Saved::load(from).map(Model)
    }
}

impl Model<Option<f64>> {
    pub(crate) fn usd(&self) -> Option<f64> {
        let [cost, ..] = self.0;
        cost.filter(|cost| *cost >= 0.0)
    }

    pub(crate) fn of(usage: ModelUsage<'_>) -> Model<Option<f64>> {
        let count = |count: Option<u64>| count.map(|count| count as f64);
        Model([
            usage.cost_usd(),
            count(usage.input_tokens()),
            count(usage.output_tokens()),
            count(usage.cache_creation_input_tokens()),
            count(usage.cache_read_input_tokens()),
            count(usage.web_search_requests()),
        ])
    }
}

impl Model<Growing> {
    pub(crate) fn report(&mut self, figures: &Model<Option<f64>>) {
        for (figure, now) in self.0.iter_mut().zip(figures.0) {
            figure.report(now);
        }
    }
}
