/*!
The cost of each session.
*/

use std::collections::BTreeMap;

use crate::{
    Cost, ModelCost, Tokens, UsageTotals,
    cost::Runs,
    ids::{Index, NameId, Names},
    sets::Sets,
};

/// A session. `None` for lines without a session id.
type Session = Option<NameId>;

/// The cost of the messages of one session by model, and their tokens.
type Stated = BTreeMap<Option<NameId>, (f64, Tokens)>;

impl UsageTotals {
    /// Returns the cost of each session as reported by its results or its
    /// `cost-state`, or else by its messages, sorted by session. A session that
    /// reports no cost is in the list, with `None` as its cost.
    ///
    /// See [`Cost`] for sessions that were forked.
    pub fn costs(&self) -> Vec<Cost<'_>> {
        let mut stated = self.stated();
        let mut costs = vec![];
        let mut counts: BTreeMap<(u64, Index), Vec<usize>> = BTreeMap::new();
        let mut families = self.families();
        for (&session, runs) in &self.runs {
            let (mut cost, start) = runs.cost(session, &self.names);
            if let Some(start) = start.filter(|_| cost.cost_usd.is_some()) {
                let count = (start, families.of(session));
                counts.entry(count).or_default().push(costs.len());
            }
            if let Some(stated) = stated.remove(&session) {
                add_stated(&mut cost, &stated, &self.names);
            }
            costs.push(cost);
        }
        // A fork has copies of messages of a session that was not read.
        for (session, stated) in stated {
            let (mut cost, _) = Runs::default().cost(session, &self.names);
            add_stated(&mut cost, &stated, &self.names);
            costs.push(cost);
        }
        counts.values().for_each(|forks| take_off(&mut costs, forks));
        costs.sort_by_key(|cost| cost.session);
        costs
    }

    /// Returns the costs that messages state.
    fn stated(&self) -> BTreeMap<Session, Stated> {
        let mut sessions: BTreeMap<Session, Stated> = BTreeMap::new();
        for (spent, totals) in self.messages.classes() {
            if let Some(cost) = spent.cost {
                let models = sessions.entry(spent.session).or_default();
                let model = models.entry(spent.model).or_default();
                model.0 += cost;
                model.1 += totals.tokens;
            }
        }
        sessions
    }

    /// Returns the sessions that have messages in common.
    pub(super) fn families(&self) -> Families {
        let mut families = Families::default();
        for (one, other) in self.messages.related() {
            families.0.unite(index(one), index(other));
        }
        families
    }
}

/// For sessions that have a message in common with another one, a session that
/// comes before them in their family. The first one stands for all.
#[derive(Default)]
pub(super) struct Families(Sets);

impl Families {
    /// Returns the family of a session.
    pub(super) fn of(&mut self, session: Session) -> Index {
        self.0.root(index(session))
    }
}

/// Returns the index of a session in [`Families`].
fn index(session: Session) -> Index {
    let index = session.map_or(0, |session| session.get() + 1);
    Index::new(index).unwrap_or(Index::OUT_OF_REACH)
}

/// Adds the costs that messages state to a session that reports no other cost.
fn add_stated<'t>(cost: &mut Cost<'t>, stated: &Stated, names: &'t Names) {
    if cost.cost_usd.is_some() {
        return;
    }
    cost.cost_usd =
        stated.values().map(|(cost, _)| *cost).reduce(|a, b| a + b);
    if !cost.models.is_empty() {
        return;
    }
    let model = |(name, (cost, tokens)): (&Option<NameId>, &(f64, Tokens))| {
        let model = names.name((*name)?)?;
        let cost_usd = Some(*cost);
        Some(ModelCost { model, cost_usd, tokens: *tokens })
    };
    cost.models = stated.iter().filter_map(model).collect();
    cost.models.sort_by_key(|model| model.model);
}

/// Takes off the cost of each session what another one has counted before:
/// all of them go on with one count.
fn take_off<'t>(costs: &mut [Cost<'t>], forks: &[usize]) {
    let mut forks = forks.to_vec();
    let usd = |at: &usize| costs.get(*at).and_then(|cost| cost.cost_usd);
    forks.sort_by(|a, b| {
        let session = |at: &usize| costs.get(*at).map(|cost| cost.session);
        let (one, other) = (usd(a).unwrap_or(0.0), usd(b).unwrap_or(0.0));
        one.total_cmp(&other).then_with(|| session(a).cmp(&session(b)))
    });
    let mut counted = 0.0;
    let mut models: BTreeMap<&'t str, (f64, Tokens)> = BTreeMap::new();
    for at in forks {
        let Some(cost) = costs.get_mut(at) else { continue };
        let usd = cost.cost_usd.unwrap_or(0.0);
        cost.cost_usd = Some(usd - counted);
        counted = usd;
        for model in &mut cost.models {
            let known = models.entry(model.model).or_default();
            let usd = model.cost_usd.unwrap_or(0.0);
            let tokens = model.tokens;
            model.cost_usd =
                model.cost_usd.map(|usd| (usd - known.0).max(0.0));
            model.tokens = tokens.without(known.1);
            *known = (known.0.max(usd), tokens.largest(known.1));
        }
    }
}
