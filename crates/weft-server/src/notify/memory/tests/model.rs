//! Any story of needs that come and go, looked at whenever, held against what a rule promises.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jiff::tz::{TimeZone, db};
use proptest::prelude::*;
use weft_view::inbox::{Need, NeedKind};

use super::{HOUR, SECOND, look, rule};
use crate::notify::Rule;
use crate::notify::memory::{Memory, Now};
use crate::notify::quiet::{Quiet, until_ns};
use crate::notify::scene::need;

/// A stretch of time in which a need stands, in seconds.
#[derive(Clone, Debug)]
struct Stand {
    idx: usize,
    from: i64,
    to: i64,
}

const KINDS: [NeedKind; 3] = [NeedKind::Permission, NeedKind::Blocked, NeedKind::Failed];

/// The evening before the night in which clocks are put back in Berlin.
const START: i64 = 1_792_864_800 * SECOND;

fn stands() -> impl Strategy<Value = Vec<Stand>> {
    let one = (0usize..12, 0i64..50_000, 1i64..30_000).prop_map(|(idx, from, long)| Stand {
        idx,
        from,
        to: from + long,
    });
    proptest::collection::vec(one, 0..20)
}

/// Returns what stands at a moment, in an order that depends on it.
fn standing(stands: &[Stand], second: i64) -> Vec<Need> {
    let mut there: BTreeMap<usize, Need> = BTreeMap::new();
    for stand in stands.iter().filter(|stand| stand.from <= second && second < stand.to) {
        let id = format!("n{}", stand.idx);
        there.insert(stand.idx, need(KINDS[stand.idx % KINDS.len()], &id));
    }
    let mut needs: Vec<Need> = there.into_values().collect();
    if second % 2 == 0 {
        needs.reverse();
    }
    needs
}

/// The promises, told second by second without cleverness: what stands, since when, and what was told until when it was gone.
#[derive(Default)]
struct Naive {
    since: HashMap<String, i64>,
    told: HashMap<String, Option<i64>>,
}

impl Naive {
    /// Returns the ids that are told now.
    fn look(&mut self, rule: &Rule, needs: &[Need], now_ns: i64, is_quiet: bool) -> Vec<String> {
        let is_there = |id: &String| needs.iter().any(|need| need.id == *id);
        self.since.retain(|id, _| is_there(id));
        for (_, gone) in self.told.iter_mut().filter(|(id, _)| !is_there(id)) {
            *gone = gone.or(Some(now_ns));
        }
        self.told.retain(|_, gone| gone.is_none_or(|gone| now_ns - gone < HOUR));
        for (_, gone) in self.told.iter_mut().filter(|(id, _)| is_there(id)) {
            *gone = None;
        }
        for need in needs {
            self.since.entry(need.id.clone()).or_insert(now_ns);
        }
        let after_ns = i64::try_from(rule.after.as_nanos()).unwrap();
        let gather_ns = i64::try_from(rule.gather.as_nanos()).unwrap();
        let mut due: Vec<(i64, String)> = Vec::new();
        for need in needs {
            let is_open = !is_quiet || rule.quiet_except.contains(&need.kind);
            if is_open && !self.told.contains_key(&need.id) {
                due.push((self.since[&need.id] + after_ns, need.id.clone()));
            }
        }
        let is_time = due.iter().any(|(due_ns, _)| due_ns + gather_ns <= now_ns);
        let mut ids: Vec<String> = due
            .into_iter()
            .filter(|(due_ns, _)| is_time && *due_ns <= now_ns)
            .map(|(_, id)| id)
            .collect();
        ids.sort();
        for id in &ids {
            self.told.insert(id.clone(), None);
        }
        ids
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_cause_is_told_once_and_nothing_while_it_is_quiet(
        stands in stands(),
        gaps in proptest::collection::vec(1i64..2_000, 1..120),
        after in 0u64..2_000,
        gather in 0u64..60,
    ) {
        let zone: TimeZone = db().get("Europe/Berlin").expect("the zones of the world");
        let quiet = vec![Quiet::parse("22:00-02:30").unwrap(), Quiet::parse("05:00-06:00").unwrap()];
        let rule = Rule {
            after: Duration::from_secs(after),
            gather: Duration::from_secs(gather),
            quiet: quiet.clone(),
            quiet_except: vec![NeedKind::Permission],
            ..rule("r")
        };
        let rules = [rule.clone()];
        let (mut memory, mut naive) = (Memory::default(), Naive::default());
        let mut second = 0;
        for gap in gaps {
            second += gap;
            let now_ns = START + second * SECOND;
            let needs = standing(&stands, second);
            let outlook = memory.look(&rules, &needs, Now { ns: now_ns, zone: &zone });
            memory.landed("r", now_ns);
            let is_quiet = until_ns(&quiet, now_ns, &zone).is_some();
            let mut told: Vec<String> = Vec::new();
            for need in outlook.tell.iter().flat_map(|message| &message.needs) {
                prop_assert!(!is_quiet || need.kind == NeedKind::Permission);
                told.push(need.id.clone());
            }
            told.sort();
            prop_assert_eq!(told, naive.look(&rule, &needs, now_ns, is_quiet));
            prop_assert!(outlook.again_ns.is_none_or(|again_ns| again_ns > now_ns));
        }
    }

    /// Whoever looks when it was told to look tells of everything that stands for long enough, exactly once, and no later.
    #[test]
    fn looking_when_told_to_is_enough(
        stands in proptest::collection::vec((0usize..12, 0i64..400), 1..20),
        after in 0u64..60,
        gather in 0u64..20,
    ) {
        let rule = Rule {
            after: Duration::from_secs(after),
            gather: Duration::from_secs(gather),
            ..rule("r")
        };
        let rules = [rule];
        let stands: Vec<Stand> =
            stands.into_iter().map(|(idx, from)| Stand { idx, from, to: i64::MAX }).collect();
        let mut moments: Vec<i64> = stands.iter().map(|stand| stand.from).collect();
        let mut memory = Memory::default();
        let mut told: HashMap<String, i64> = HashMap::new();
        while let Some(second) = moments.iter().copied().min() {
            moments.retain(|other| *other != second);
            let outlook = look(&mut memory, &rules, &standing(&stands, second), second * SECOND);
            for need in outlook.tell.iter().flat_map(|message| &message.needs) {
                prop_assert_eq!(told.insert(need.id.clone(), second), None);
            }
            moments.extend(outlook.again_ns.map(|again_ns| again_ns / SECOND));
        }
        let after_s = i64::try_from(after).unwrap();
        let gather_s = i64::try_from(gather).unwrap();
        for stand in &stands {
            let first = stands.iter().filter(|it| it.idx == stand.idx).map(|it| it.from).min();
            let due = first.unwrap() + after_s;
            let at = told[&format!("n{}", stand.idx)];
            prop_assert!(due <= at && at <= due + gather_s, "due {} told {}", due, at);
        }
    }

    /// The order in which needs are handed in changes nothing.
    #[test]
    fn the_order_of_needs_changes_nothing(
        order in Just((0usize..12).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let rules = [Rule { after: Duration::ZERO, gather: Duration::ZERO, ..rule("r") }];
        let all = |order: &[usize]| -> Vec<Need> {
            order.iter().map(|idx| need(KINDS[idx % KINDS.len()], &format!("n{idx}"))).collect()
        };
        let sorted: Vec<usize> = (0..12).collect();
        let [a, b] = [&sorted, &order].map(|order| {
            look(&mut Memory::default(), &rules, &all(order), SECOND)
        });
        prop_assert_eq!(a, b);
    }
}
