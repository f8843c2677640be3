//! Events of any content, however strange, keep their facts and come back as they were.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config;

use super::envelopes::ENVELOPES;
use super::{DIALECTS, assert_faithful, everything, target, to};
use crate::collector::{Correlation, Event, NAMESPACES, TAXONOMY, Tool};
use crate::facts::Usage;
use crate::json::{Json, Tape};
use crate::translate::{Fill, Untranslatable, open};
use crate::{Status, facts::carried, sample};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z0-9-]{1,12}",
        Just("\u{0}\u{7f}\"\\\n/:%".to_owned()),
        Just("loop-1703123456-12345".to_owned()),
        Just(String::new()),
    ]
}

fn event_type() -> impl Strategy<Value = String> {
    let listed: Vec<_> = TAXONOMY.rows().iter().map(|row| row.name.to_owned()).collect();
    let own = (prop::sample::select(NAMESPACES.to_vec()), "[a-z_]{1,12}");
    prop_oneof![
        prop::sample::select(listed),
        own.prop_map(|(space, name)| format!("{space}.{name}"))
    ]
}

fn correlation() -> impl Strategy<Value = Correlation<'static>> {
    let id = || prop::option::of(text());
    (id(), id(), id(), id()).prop_map(|(trace, span, parent, root)| Correlation {
        trace_id: trace.map(Into::into),
        span_id: span.map(Into::into),
        parent_span_id: parent.map(Into::into),
        root_agent_id: root.map(Into::into),
        ..Correlation::default()
    })
}

fn tool() -> impl Strategy<Value = Tool<'static>> {
    let text = || prop::option::of(text());
    (text(), text(), prop::option::of(0..i64::MAX)).prop_map(|(name, path, duration_ms)| Tool {
        tool_name: name.map(Into::into),
        tool_input: path.map(|path| Json::object(|input| input.text("file_path", &path))),
        duration_ms,
        ..Tool::default()
    })
}

fn metadata() -> impl Strategy<Value = Json<'static>> {
    let count = || prop::option::of(any::<u64>());
    let number = prop::option::of(-1e300..1e300_f64);
    let usage = (count(), count(), number, prop::option::of(text()));
    let usage = usage.prop_map(|(input_tokens, total_tokens, cost_usd, model)| {
        let model = model.map(Into::into);
        Usage { input_tokens, total_tokens, cost_usd, model, ..Usage::default() }
    });
    let text = || prop::option::of(text());
    (text(), text(), text(), prop::option::of(usage)).prop_map(|(task, subject, tenant, usage)| {
        Json::object(|metadata| {
            task.iter().for_each(|task| metadata.text("task_id", task));
            subject.iter().for_each(|subject| metadata.text("waiting_for", subject));
            tenant.iter().for_each(|tenant| metadata.text("tenant_id", tenant));
            usage.iter().for_each(|u| metadata.json("usage", &carried::write_usage(u)));
        })
    })
}

fn event() -> impl Strategy<Value = Event<'static>> {
    let status = prop::option::of(prop::sample::select(Status::ALL.to_vec()));
    let time = prop_oneof![
        Just("2026-01-01T00:00:00.123456789+02:00"),
        Just("1969-12-31T23:59:59.5Z"),
        Just("0001-01-01T00:00:00Z"),
        Just("9999-12-31T23:59:59Z")
    ];
    let fields = (event_type(), time, "[^\u{0}]{1,8}", prop::option::of(text()), status);
    let more = (prop::option::of(text()), prop::option::of(0.0..=1.0_f64));
    let objects =
        (prop::option::of(tool()), prop::option::of(correlation()), prop::option::of(metadata()));
    (fields, more, objects).prop_map(|(fields, (message, progress), objects)| Event {
        version: "1.0.0".into(),
        event_type: fields.0.into(),
        timestamp: fields.1.into(),
        agent_id: fields.2.into(),
        session_id: fields.3.map(Into::into),
        status: fields.4,
        message: message.map(Into::into),
        progress,
        tool: objects.0,
        correlation: objects.1,
        metadata: objects.2,
        ..Event::default()
    })
}

proptest! {
    #![proptest_config(Config { cases: 256, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_collector_event_of_any_content_keeps_its_facts(event in event()) {
        let (line, fill) = (event.to_line(), everything());
        for dialect in DIALECTS {
            match to(&line, target(dialect), &fill) {
                Ok(there) if there.line == line => {}
                Ok(there) if dialect == crate::Dialect::Collector => {
                    prop_assert_eq!(crate::testing::check(dialect, &there.line), "fine");
                }
                Ok(there) => assert_faithful(&line, &there, &fill),
                Err(Untranslatable::NoEquivalent { .. }) => {}
                Err(error) => panic!("{error}\n{line}"),
            }
        }
        for (target, assert_proper) in ENVELOPES {
            let there = to(&line, target, &Fill::default()).unwrap();
            assert_proper(&there.line);
            let mut tape = Tape::new();
            let opened = open(tape.parse(&there.line).unwrap(), &Fill::default()).unwrap();
            prop_assert_eq!(&opened[0].as_ref().unwrap().line, &line);
        }
    }

    #[test]
    fn a_chain_of_translations_leads_back_to_its_beginning(seed in any::<u64>(), first in 0..5_usize, chain in prop::collection::vec(0..5_usize, 1..6)) {
        let rows = DIALECTS[first].taxonomy().rows();
        let row = &rows[seed as usize % rows.len()];
        let line = sample::of_type(DIALECTS[first], row.name, seed);
        let mut here = line.clone();
        for step in chain {
            if let Ok(there) = to(&here, target(DIALECTS[step]), &everything()) {
                here = there.line;
            }
        }
        let back = to(&here, target(DIALECTS[first]), &Fill::default()).unwrap();
        prop_assert_eq!(back.line, line);
    }
}
