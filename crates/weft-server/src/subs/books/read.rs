//! The books of a store, read through its index: the newest record of each key, and not the whole history of them.

use weft_log::query::{Ask, Order, Page, QueryError, Records};
use weft_log::{Filter, Position};

use super::{ACKNOWLEDGEMENTS, Books, DEAD, DEFINITIONS};

/// Records that are read at a time.
const PAGE: usize = 1000;

/// Reads the books as far as they are durable.
pub fn read(records: &mut Records) -> Result<Books, QueryError> {
    let mut books = Books::default();
    each(records, &filter(DEFINITIONS, None), &mut books)?;
    let names: Vec<String> = books.entries().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let ask = Ask {
            filter: &filter(ACKNOWLEDGEMENTS, Some(&name)),
            range: Position::FIRST..=last(),
            order: Order::Descending,
            limit: 1,
        };
        apply(&mut books, &records.page(&ask)?);
    }
    each(records, &filter(DEAD, None), &mut books)?;
    Ok(books)
}

/// Takes every record that matches, oldest first.
fn each(records: &mut Records, filter: &Filter, books: &mut Books) -> Result<(), QueryError> {
    let mut next = Some(Position::FIRST);
    while let Some(first) = next {
        let (range, order, limit) = (first..=last(), Order::Ascending, PAGE);
        let page = records.page(&Ask { filter, range, order, limit })?;
        apply(books, &page);
        next = page.next;
    }
    Ok(())
}

fn apply(books: &mut Books, page: &Page) {
    for found in &page.records {
        books.apply(&found.meta, &found.line);
    }
}

fn filter(topic: &str, key: Option<&str>) -> Filter {
    let mut text = String::from("dialect=weft topic=");
    weft_event::json::write_text(&mut text, topic);
    if let Some(key) = key {
        text += " key=";
        weft_event::json::write_text(&mut text, key);
    }
    Filter::parse(&text, 0).expect("names are quoted")
}

fn last() -> Position {
    Position::new(u64::MAX).expect("it is not 0")
}
