//! The index against one that is made anew from the log.

use std::fs;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use weft_log::lock::Owner;
use weft_log::{Store, follow, log};

/// Asserts that the index of a store, with the few records that single events leave to whoever comes next, is the same as one made
/// anew from a copy of its log.
pub(crate) fn assert_equals_a_rebuild(store: &Path) {
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    log::settle(&Store::open(store).unwrap(), owner).unwrap();
    let copy = tempfile::tempdir().unwrap();
    fs::copy(store.join("head"), copy.path().join("head")).unwrap();
    fs::create_dir(copy.path().join("log")).unwrap();
    for entry in fs::read_dir(store.join("log")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join("log").join(path.file_name().unwrap())).unwrap();
    }
    follow::rebuild(&Store::open(copy.path()).unwrap(), &mut |_| {}).unwrap();
    let (followed, rebuilt) = (dump(&store.join("index.db")), dump(&copy.path().join("index.db")));
    assert_eq!(followed.len(), rebuilt.len());
    for ((name, followed), (rebuilt_name, rebuilt)) in followed.iter().zip(&rebuilt) {
        assert_eq!(name, rebuilt_name);
        let differs = followed.iter().zip(rebuilt).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{name} differs from a rebuild");
        assert_eq!(followed.len(), rebuilt.len(), "{name} has other rows than a rebuild");
    }
}

/// Returns all rows of all tables, sorted.
fn dump(index: &Path) -> Vec<(String, Vec<String>)> {
    let connection = Connection::open_with_flags(index, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'text%' ORDER BY name")
        .unwrap();
    let names: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(names.iter().any(|name| name == "records"), "{names:?}");
    names.into_iter().map(|name| (name.clone(), rows(&connection, &name))).collect()
}

fn rows(connection: &Connection, table: &str) -> Vec<String> {
    // Text search may lag; how far it is says nothing about the rest.
    let which = if table == "followers" { "WHERE name <> 'text'" } else { "" };
    let mut statement = connection.prepare(&format!("SELECT * FROM {table} {which}")).unwrap();
    let n_columns = statement.column_count();
    let mut rows: Vec<String> = statement
        .query_map([], |row| {
            let values = (0..n_columns).map(|idx| row.get::<_, Value>(idx));
            Ok(format!("{:?}", values.collect::<Result<Vec<_>, _>>()?))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    rows.sort();
    rows
}
