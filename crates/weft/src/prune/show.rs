//! What pruning did or would do, for people and for programs.

use weft_event::json::{Json, Object};
use weft_log::prune::{Kept, Mode, Plan, Report};

use crate::output::{Format, plural};

/// Shows what would be done.
pub(super) fn plan(plan: &Plan, format: Format) -> String {
    match format {
        Format::Text => {
            let verb = match plan.mode {
                Mode::Archive => "would archive",
                Mode::Delete => "would delete",
            };
            segments(plan, verb)
        }
        Format::Json => line(|object| write_plan(object, plan)),
    }
}

/// Shows what was done.
pub(super) fn report(report: &Report, format: Format) -> String {
    let Report { plan, carried, swept, bytes_before, bytes_after } = report;
    match format {
        Format::Text => {
            let verb = match plan.mode {
                Mode::Archive => "archived",
                Mode::Delete => "deleted",
            };
            let mut text = segments(plan, verb);
            if plan.mode == Mode::Delete && !plan.segments.is_empty() {
                text += &format!("carried {}", plural(carried.n_carried, "newest value"));
                if carried.n_unreadable > 0 {
                    text += &format!(", {} damaged and lost", carried.n_unreadable);
                }
                text += &format!(", removed {}\n", plural(swept.n_files as u64, "blob"));
            }
            text + &format!("{} before, {bytes_after} after\n", plural(*bytes_before, "byte"))
        }
        Format::Json => line(|object| {
            write_plan(object, plan);
            object.json("carried", &Json::integer(carried.n_carried));
            object.json("unreadable", &Json::integer(carried.n_unreadable));
            object.json("blobs", &Json::integer(swept.n_files as u64));
            object.json("bytes_before", &Json::integer(*bytes_before));
            object.json("bytes_after", &Json::integer(*bytes_after));
        }),
    }
}

fn segments(plan: &Plan, verb: &str) -> String {
    let mut text = String::new();
    for segment in &plan.segments {
        let range = segment.range();
        text += &format!(
            "{verb} {}: records {} to {}, {}\n",
            segment.name,
            range.start(),
            segment.next.get() - 1,
            plural(segment.bytes, "byte")
        );
    }
    for (name, kept) in &plan.kept {
        text += &format!("kept {name}: {}\n", why(kept));
    }
    if plan.segments.is_empty() {
        text += "nothing to prune\n";
    }
    text
}

fn why(kept: &Kept) -> String {
    match kept {
        Kept::Held { position, filter } => format!("record {position} is held by {filter}"),
        Kept::Damaged => "it is damaged; `weft verify` tells more".to_owned(),
        Kept::Empty => "it has no records".to_owned(),
    }
}

fn write_plan(object: &mut Object<'_>, plan: &Plan) {
    object.text("mode", plan.mode.as_str());
    let segments = plan.segments.iter().map(|segment| {
        Json::object(|object| {
            object.text("segment", &segment.name.to_string());
            object.json("first", &Json::integer(segment.first.get()));
            object.json("last", &Json::integer(segment.next.get() - 1));
            object.json("bytes", &Json::integer(segment.bytes));
        })
    });
    object.json("segments", &Json::array(segments));
    let kept = plan.kept.iter().map(|(name, kept)| {
        Json::object(|object| {
            object.text("segment", &name.to_string());
            object.text("why", &why(kept));
        })
    });
    object.json("kept", &Json::array(kept));
}

fn line(fill: impl FnOnce(&mut Object<'_>)) -> String {
    format!("{}\n", Json::object(fill).as_str())
}
