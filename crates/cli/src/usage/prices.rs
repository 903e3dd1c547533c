//! Prices of models, from a file.

use std::{collections::BTreeMap, fs, io, path::Path};

use linetape_session::Tokens;
use serde_json::Value;

/// A request with more input tokens has other prices, if the file has them.
const LONG_REQUEST: u64 = 200_000;

/// The price of tokens that are kept in the cache for an hour.
const HOUR: &str = "cache_creation_input_token_cost_above_1hr";

/// The prices of models in dollars for each token, with the names of LiteLLM's
/// `model_prices_and_context_window.json`.
pub struct Prices(BTreeMap<String, Value>);

impl Prices {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not a JSON object of
    /// objects, or has a negative price.
    pub fn read(path: &Path) -> io::Result<Prices> {
        let text = fs::read(path)?;
        let invalid = |error: String| {
            let text = format!("not a price list: {error}");
            io::Error::new(io::ErrorKind::InvalidData, text)
        };
        let models: BTreeMap<String, Value> = serde_json::from_slice(&text)
            .map_err(|error| invalid(error.to_string()))?;
        for (name, model) in &models {
            let Some(model) = model.as_object() else {
                return Err(invalid(format!("`{name}` is no object")));
            };
            let is_price = |key: &str| key.contains("_cost");
            let is_negative = |value: &Value| {
                value.as_f64().is_some_and(|price| price < 0.0)
            };
            let bad =
                model.iter().find(|(k, v)| is_price(k) && is_negative(v));
            if let Some((key, price)) = bad {
                let text = format!("`{key}` of `{name}` is {price}");
                return Err(invalid(text));
            }
        }
        Ok(Prices(models))
    }

    fn model(&self, model: &str) -> Option<&Value> {
        let prefixed = || self.0.get(&format!("anthropic/{model}"));
        self.0.get(model).or_else(prefixed)
    }

    /// Returns by how much the prices of a model are multiplied in fast mode.
    /// `None` if the file does not have it.
    pub fn fast(&self, model: &str) -> Option<f64> {
        let entry = self.model(model)?.get("provider_specific_entry")?;
        entry.get("fast")?.as_f64().filter(|times| *times >= 0.0)
    }

    /// Returns whether the file has a price for what is kept in the cache for
    /// an hour, or no price for the model. Where the input costs nothing, this
    /// costs nothing either.
    pub fn has_hour(&self, model: &str) -> bool {
        let Some(model) = self.model(model) else { return true };
        let price = |name: &str| model.get(name)?.as_f64();
        price(HOUR).is_some() || price("input_cost_per_token") == Some(0.0)
    }

    /// Returns the cost of a message in dollars, at the usual speed. `None` if
    /// the file has no price for the model.
    pub fn cost(&self, model: &str, tokens: Tokens) -> Option<f64> {
        let model = self.model(model)?;
        let total = tokens
            .input_tokens
            .saturating_add(tokens.cache_creation_input_tokens)
            .saturating_add(tokens.cache_read_input_tokens);
        let is_long = total > LONG_REQUEST;
        let price = |name: &str| {
            let long = format!("{name}_above_200k_tokens");
            let long = model.get(long).filter(|_| is_long);
            let long = long.and_then(Value::as_f64);
            long.or_else(|| model.get(name)?.as_f64())
        };
        let input = price("input_cost_per_token")?;
        let output = price("output_cost_per_token")?;
        // Without a price for the cache, its tokens cost as much as others.
        let write = price("cache_creation_input_token_cost").unwrap_or(input);
        let read = price("cache_read_input_token_cost").unwrap_or(input);
        // The API has one price for it: this is not that of five minutes.
        let hour = price(HOUR).unwrap_or(2.0 * input);
        let hour_tokens = tokens
            .ephemeral_1h_input_tokens
            .min(tokens.cache_creation_input_tokens);
        let other_writes = tokens.cache_creation_input_tokens - hour_tokens;
        Some(
            tokens.input_tokens as f64 * input
                + tokens.output_tokens as f64 * output
                + other_writes as f64 * write
                + hour_tokens as f64 * hour
                + tokens.cache_read_input_tokens as f64 * read,
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cost(prices: Value, tokens: Tokens) -> Option<f64> {
        let prices: BTreeMap<String, Value> =
            serde_json::from_value(prices).unwrap();
        Prices(prices).cost("m", tokens)
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let tokens = Tokens {
            input_tokens: 1,
            output_tokens: 10,
            cache_creation_input_tokens: 500,
            cache_read_input_tokens: 1000,
            ephemeral_1h_input_tokens: 200,
            ..Tokens::default()
        };
        let mut all = json!({
            "input_cost_per_token": 1.0,
            "output_cost_per_token": 2.0,
            "cache_creation_input_token_cost": 3.0,
            "cache_read_input_token_cost": 0.5,
        });
        let listed = |model: &Value| json!({"anthropic/m": model});
        let others = 1.0 + 20.0 + 300.0 * 3.0 + 500.0;
        all[HOUR] = json!(4.0);
        assert_eq!(cost(listed(&all), tokens), Some(others + 800.0));
        // Without this price, it was that of five minutes.
        all[HOUR] = json!(null);
        assert_eq!(cost(listed(&all), tokens), Some(others + 400.0));
        assert_eq!(cost(json!({}), tokens), None);
        assert_eq!(cost(json!({"m": {"mode": "chat"}}), tokens), None);
    }

    /// A price of null for long requests made the model one without prices.
    #[test]
    fn a_long_request_has_other_prices() {
        let prices = json!({"m": {
            "input_cost_per_token": 1.0, "output_cost_per_token": 0.0,
            "input_cost_per_token_above_200k_tokens": 2.0,
            "output_cost_per_token_above_200k_tokens": null,
        }});
        let tokens =
            |input| Tokens { input_tokens: input, ..Tokens::default() };
        assert_eq!(cost(prices.clone(), tokens(200_000)), Some(200_000.0));
        assert_eq!(cost(prices, tokens(200_001)), Some(400_002.0));
    }
}
