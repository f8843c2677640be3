//! Whoever has a page and is told the change has the next page, and is told little where little changed.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn page(rows: &[(u8, u8)]) -> Page {
    let row = |(id, says): &(u8, u8)| Row::new(format!("row {id}"), format!("{{\"n\":{says}}}"));
    Page { rows: rows.iter().map(row).collect(), n_more: 0 }
}

/// Does what a change says.
fn applied(before: &Page, change: &str) -> Vec<(String, String)> {
    let change: Value = serde_json::from_str(&format!("{{{change}}}")).expect("it is JSON");
    let list = |name: &str| change[name].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let told: Vec<(String, String)> =
        list("rows").iter().map(|row| (text(&row["id"]), row["row"].to_string())).collect();
    if change["is_whole"] == true {
        return told;
    }
    let gone: Vec<String> = list("gone").iter().map(text).collect();
    let moved: Vec<(usize, String)> = list("moved")
        .iter()
        .map(|moved| (moved["nth"].as_u64().expect("a number") as usize, text(&moved["id"])))
        .collect();
    let mut rows: Vec<(String, String)> =
        before.rows.iter().map(|row| (row.id.clone(), row.json.clone())).collect();
    let was = rows.clone();
    rows.retain(|(id, _)| !gone.contains(id) && !moved.iter().any(|(_, moved)| moved == id));
    for (nth, id) in moved {
        let said = was.iter().chain(&told).rfind(|(known, _)| *known == id);
        rows.insert(nth, said.expect("a new row is told").clone());
    }
    for (id, says) in told {
        rows.iter_mut().filter(|(known, _)| *known == id).for_each(|row| row.1.clone_from(&says));
    }
    rows
}

/// Pages of different rows in any order.
fn rows() -> impl Strategy<Value = Vec<(u8, u8)>> {
    let ids = proptest::sample::subsequence((0..12_u8).collect::<Vec<_>>(), 0..=12).prop_shuffle();
    ids.prop_flat_map(|ids| {
        let n = ids.len();
        proptest::collection::vec(0..3_u8, n)
            .prop_map(move |says| ids.iter().copied().zip(says).collect())
    })
}

proptest! {
    #[test]
    fn a_change_makes_the_next_page_of_any_page(before in rows(), now in rows()) {
        let (before, now) = (page(&before), page(&now));
        let expected: Vec<(String, String)> =
            now.rows.iter().map(|row| (row.id.clone(), row.json.clone())).collect();
        match change(&before, &now) {
            Some(change) => prop_assert_eq!(applied(&before, &change), expected, "{}", change),
            None => prop_assert_eq!(&before.rows, &now.rows),
        }
    }
}

#[test]
fn of_many_rows_only_the_one_is_told_that_came_to_the_top() {
    let many: Vec<Row> = (0..5_000).map(|n| Row::new(format!("r{n}"), "{}".to_owned())).collect();
    let mut after = many.clone();
    let top = after.remove(4_321);
    after.insert(0, Row::new(top.id, "{\"n\":1}".to_owned()));
    let change = change(&Page { rows: many, n_more: 0 }, &Page { rows: after, n_more: 7 });
    insta::assert_snapshot!(change.expect("it is another"), @r#""is_whole":false,"rows":[{"id":"r4321","row":{"n":1}}],"gone":[],"moved":[{"id":"r4321","nth":0}],"n_more":7"#);
}
