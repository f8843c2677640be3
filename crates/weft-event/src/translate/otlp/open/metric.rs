//! Data points of metrics: counts of tokens and of costs become events, one a point.

use std::borrow::Cow;

use super::Taken;
use super::made::{self, Made};
use super::read;
use super::record::{Place, Record, any_text, nanos, write_with_one};
use super::series::{Amount, Point, Series};
use crate::collector::{Correlation, Tool};
use crate::facts::Usage;
use crate::identity::digest_parts;
use crate::json::{Json, Object, Value};
use crate::translate::source::uuid;
use crate::translate::{Fill, Opened, Untranslatable};

/// What the conventions call counts of tokens by kind, one metric each.
const INFERENCE: &str = "gen_ai.client.inference.usage.";
/// Flag of a point that has no value.
const NO_VALUE: u64 = 1;

const UNRELATED: Untranslatable = Untranslatable::Unwanted("it counts neither tokens nor costs");
const NO_COUNT: Untranslatable = Untranslatable::Unwanted("it is no sum and no histogram");
const LATE: Untranslatable =
    Untranslatable::Unwanted("a later total of the same series came before it");
const EMPTY: Untranslatable = Untranslatable::Unwanted("it has no value");

/// What a point counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Input,
    Output,
    CacheRead,
    CacheWrite,
    CostUsd,
}

/// The points of one metric: the member that they stand in, and how they add up.
struct Points<'a> {
    member: &'static str,
    holder: Value<'a>,
    temporality: Option<u64>,
}

/// Makes an event of each point of a metric.
pub(super) fn take(
    metric: &Record<'_>,
    fill: &Fill,
    series: &mut Series,
    each: &mut dyn FnMut(Taken<'_>),
) {
    let Some(points) = points(metric.value) else {
        let alone = |out: &mut String| metric.write_request(out);
        return each(Taken { outcome: Err(EMPTY), is_timed: false, alone: &alone });
    };
    for point in points.holder.get("dataPoints").into_iter().flat_map(Value::items) {
        let place = Place {
            signal: metric.signal,
            in_scope: metric.in_scope,
            in_resource: metric.in_resource,
            around: metric.around,
        };
        let record = Record::new(metric.value, point, place);
        let alone = |out: &mut String| {
            record.write_request_with(out, &|out| write_point(out, metric.value, &points, point));
        };
        let outcome = event(&record, &points, point, (fill, series), &alone);
        each(Taken { outcome, is_timed: nanos(point, "timeUnixNano").is_some(), alone: &alone });
    }
}

fn points(metric: Value<'_>) -> Option<Points<'_>> {
    let members = ["sum", "gauge", "histogram", "exponentialHistogram", "summary"];
    members.into_iter().find_map(|member| {
        let holder = metric.get(member)?;
        let temporality = holder.get("aggregationTemporality").and_then(Value::as_u64);
        Some(Points { member, holder, temporality })
    })
}

/// Writes a metric with one of its points alone.
fn write_point(out: &mut String, metric: Value<'_>, points: &Points<'_>, point: Value<'_>) {
    let mut written = Object::begin(out);
    for (key, member) in metric.members() {
        let name = key.as_text().expect("a key is a string");
        let out = written.key(&name);
        match name == points.member {
            true => write_with_one(out, member, "dataPoints", &|out| out.push_str(point.raw())),
            false => out.push_str(member.raw()),
        }
    }
    written.end();
}

fn event(
    record: &Record<'_>,
    points: &Points<'_>,
    point: Value<'_>,
    (fill, series): (&Fill, &mut Series),
    alone: &dyn Fn(&mut String),
) -> Result<Opened, Untranslatable> {
    let name = record.value.text_at("name").unwrap_or_default();
    let count = count(&name, record).ok_or(UNRELATED)?;
    let total = total(points, point)?;
    let time_ns = nanos(point, "timeUnixNano");
    let known = made::known(record, (time_ns, "timeUnixNano"), fill)?;
    let key = series_key(record, &name);
    let start_ns = nanos(point, "startTimeUnixNano").unwrap_or(0);
    let (temporality, amount) = match (points.temporality, time_ns) {
        (Some(1), _) => ("delta", Amount::Grown(total)),
        (Some(2), Some(time_ns)) => {
            let amount = series.measure(key, Point { start_ns, time_ns, total });
            ("cumulative", amount)
        }
        (_, _) => return Err(NO_COUNT),
    };
    let (amount, part): (Option<f64>, &[u8]) = match amount {
        Amount::Grown(amount) => (Some(amount), b"grown"),
        Amount::Base => (None, b"base"),
        Amount::Late => return Err(LATE),
    };
    let id = time_ns.map(|time_ns| {
        let (start, time) = (start_ns.to_le_bytes(), time_ns.to_le_bytes());
        uuid(digest_parts(&[b"otlp point", &key, &start, &time, part]))
    });
    let metric = Json::object(|metric| {
        metric.text("name", &name);
        let unit = record.value.text_at("unit").filter(|unit| !unit.is_empty());
        unit.iter().for_each(|unit| metric.text("unit", unit));
        metric.text("temporality", temporality);
        metric.json("value", &Json::number(total));
    });
    let usage = amount.map(|amount| usage(record, count, amount));
    let made = Made {
        known,
        event_type: "system.heartbeat",
        id,
        message: message(&name, count, amount),
        tool: Tool::default(),
        correlation: Correlation::default(),
        usage,
        usage_from: "metric",
        metadata: vec![("metric", metric)],
        facts: Vec::new(),
        request: alone,
        name,
    };
    Ok(made::write(record, made))
}

/// Returns the value of a point that counts something.
fn total(points: &Points<'_>, point: Value<'_>) -> Result<f64, Untranslatable> {
    if point.get("flags").and_then(Value::as_u64).is_some_and(|flags| flags & NO_VALUE != 0) {
        return Err(EMPTY);
    }
    let names: &[&str] = match points.member {
        "sum" if points.holder.get("isMonotonic").and_then(Value::as_bool) == Some(true) => {
            &["asInt", "asDouble"]
        }
        "histogram" | "exponentialHistogram" => &["sum"],
        _ => return Err(NO_COUNT),
    };
    let text = names.iter().find_map(|name| {
        let value = point.get(name)?;
        value.as_text().or_else(|| Some(Cow::Borrowed(value.raw())))
    });
    let total = text.and_then(|text| text.parse::<f64>().ok());
    total.filter(|total| total.is_finite() && *total >= 0.0).ok_or(EMPTY)
}

/// Returns what a metric counts, by its name and attributes. Thinking is among the tokens written, and not counted again.
fn count(name: &str, record: &Record<'_>) -> Option<Count> {
    let kind = match name {
        "claude_code.cost.usage" => return Some(Count::CostUsd),
        "claude_code.token.usage" => record.text(&["type"])?,
        "gen_ai.client.token.usage" => record.text(&["gen_ai.token.type"])?,
        _ => Cow::Borrowed(name.strip_prefix(INFERENCE)?),
    };
    match kind.as_ref() {
        "input" | "input_tokens" => Some(Count::Input),
        "output" | "completion" | "output_tokens" => Some(Count::Output),
        "cacheRead" | "cache_read" | "cache_read.input_tokens" => Some(Count::CacheRead),
        "cacheCreation"
        | "cache_write"
        | "cache_creation"
        | "cache_write.input_tokens"
        | "cache_creation.input_tokens" => Some(Count::CacheWrite),
        _ => None,
    }
}

fn usage<'a>(record: &Record<'a>, count: Count, amount: f64) -> Usage<'a> {
    let (model, provider) = read::model(record);
    let mut usage = Usage { model, provider, ..Usage::default() };
    let tokens = Some(amount.round() as u64);
    match count {
        Count::Input => usage.input_tokens = tokens,
        Count::Output => usage.output_tokens = tokens,
        Count::CacheRead => usage.cache_read_tokens = tokens,
        Count::CacheWrite => usage.cache_write_tokens = tokens,
        Count::CostUsd => usage.cost_usd = Some(amount),
    }
    usage
}

fn message(name: &str, count: Count, amount: Option<f64>) -> Cow<'static, str> {
    let what = match count {
        Count::Input => "tokens in",
        Count::Output => "tokens out",
        Count::CacheRead => "tokens cache read",
        Count::CacheWrite => "tokens cache write",
        Count::CostUsd => "USD",
    };
    Cow::Owned(match amount {
        Some(amount) => format!("{name}: {amount} {what}"),
        None => format!("{name}: where counting begins"),
    })
}

/// Returns what tells a series from others: where it comes from, its metric, and its attributes in any order.
fn series_key(record: &Record<'_>, name: &str) -> [u8; 16] {
    let resource = record.in_resource.get("resource").and_then(|of| of.get("attributes"));
    let around = resource.into_iter().flat_map(Value::items);
    let around = around.filter_map(|item| Some((item.text_at("key")?, item.get("value")?)));
    let mut around: Vec<_> = around.collect();
    let mut own: Vec<_> = record.attributes().to_vec();
    let scope = record.in_scope.get("scope").and_then(|scope| scope.text_at("name"));
    let mut text = String::new();
    for list in [&mut around, &mut own] {
        list.sort_by(|a, b| a.0.cmp(&b.0));
        for (key, value) in &*list {
            let value = any_text(*value).unwrap_or(Cow::Borrowed(value.raw()));
            text.push_str(Json::text(key).as_str());
            text.push_str(Json::text(&value).as_str());
        }
        text.push('\n');
    }
    digest_parts(&[name.as_bytes(), scope.unwrap_or_default().as_bytes(), text.as_bytes()])
}
