//! Which pages come with rows, and how data stands in a page.

use super::*;

fn asks(page: &'static str) -> Option<String> {
    question(&Uri::from_static(page)).map(|question| question.address.to_string())
}

#[test]
fn a_page_of_rows_comes_with_the_first_and_the_log_with_its_end() {
    let inbox = Some("/v1/views/inbox?limit=120".to_owned());
    assert_eq!((asks("/"), asks("/inbox")), (inbox.clone(), inbox));
    assert_eq!(asks("/fleet?sort=-actor&q=x"), Some("/v1/views/fleet?limit=120".to_owned()));
    assert_eq!(asks("/log?mode=pause"), Some("/v1/events?limit=200".to_owned()));
}

#[test]
fn the_past_what_a_filter_finds_and_one_of_many_are_asked_for() {
    let pages = ["/fleet?at=4", "/log?at=4", "/?at=4", "/log?filter=level%3Dwarn"];
    assert_eq!(pages.map(asks), [const { None }; 4]);
    let others = ["/sessions/s-1", "/work", "/usage", "/timeline", "/subscriptions", "/nowhere"];
    assert_eq!(others.map(asks), [const { None }; 6]);
}

#[test]
fn nothing_in_the_data_ends_its_part_of_the_page() {
    let json = r#"{"a":"</script><!--<script>","b":"\\<"}"#;
    let block = block(json);
    let inside = block.strip_prefix("<script type=\"application/json\" id=\"first\">");
    let inside = inside.and_then(|rest| rest.trim_end().strip_suffix("</script>"));
    let inside = inside.expect("one part");
    assert!(!inside.contains('<'), "{inside}");
    let read = |text| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    assert_eq!(read(inside), read(json));
}
