//! What the client itself notes: compactions, failed requests, and what the session has cost.

use super::{Reader, row_id};
use crate::json::{Json, Value};
use crate::transcript::draft::{Scene, Type};
use crate::transcript::row;

impl Reader {
    pub(super) fn read_system(
        &mut self,
        row: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let id = || row_id(row, scene, "system");
        match &*row.text_at("subtype").unwrap_or_default() {
            "compact_boundary" => {
                let about = row.get("compactMetadata");
                let trigger = about.and_then(|about| row::text(about, "trigger"));
                let message = match &trigger {
                    Some(trigger) => format!("Compacted ({})", row::head(trigger)),
                    None => "Compacted".to_owned(),
                };
                let number = |name: &str| about?.get(name)?.as_u64().map(Json::integer);
                scene
                    .draft(Type::Progress, id(), message)
                    .with_json("context_tokens_before", number("preTokens"))
                    .with_json("context_tokens_after", number("postTokens"))
                    .write(scene, events);
            }
            "api_error" => {
                let said = row.get("error").and_then(|error| row::text(error, "message"));
                let said = said.or_else(|| row::text(row, "content"));
                let message = match &said {
                    Some(said) => format!("Request failed: {}", row::head(said)),
                    None => "Request failed".to_owned(),
                };
                let retry = row.get("retryAttempt").and_then(Value::as_u64).map(Json::integer);
                let draft = scene.draft(Type::Error, id(), message);
                draft.with_json("retry", retry).write(scene, events);
            }
            _ => {}
        }
    }

    /// Tells what the session has cost since that was last told. Tokens stand there too, but those are counted by the answers.
    pub(super) fn read_cost(
        &mut self,
        row: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let total = row.get("totalCostUSD").and_then(Value::as_f64);
        let Some(total) = total.filter(|total| total.is_finite() && *total >= 0.0) else { return };
        // A sum that shrinks was begun anew.
        let new = if total < self.cost_usd { total } else { total - self.cost_usd };
        self.cost_usd = total;
        if new <= 0.0 {
            return;
        }
        let id = scene.id(&["cost", &scene.session, &total.to_string()]);
        let usage = Json::object(|usage| {
            usage.json("cost_usd", &Json::number(new));
            usage.text("provider", "anthropic");
            usage.text("told_by", "cost-state");
        });
        let draft = scene.draft(Type::Usage, id, format!("{new:.4} USD"));
        let total = Json::number(total);
        draft
            .with_json("usage", Some(usage))
            .with_json("session_cost_usd", Some(total))
            .write(scene, events);
    }
}
