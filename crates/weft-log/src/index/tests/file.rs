//! What opening makes of the file it finds.

use std::fs;

use rusqlite::Connection;

use super::{Records, STORE, add, dump, folder, upto};
use crate::index::follow::remove;
use crate::index::{Index, IndexError, Reader, Rebuild, Stale};

fn stale(result: Result<impl Sized, IndexError>) -> Stale {
    match result {
        Err(IndexError::Stale { reason, .. }) => reason,
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[test]
fn a_file_of_another_store_version_or_kind_is_told() {
    let (_folder, path) = folder();
    drop(Index::open(&path, STORE).unwrap());
    assert_eq!(stale(Index::open(&path, "another")), Stale::Store { found: STORE.to_owned() });

    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert_eq!(stale(Index::open(&path, STORE)), Stale::Version { found: 99 });
    assert_eq!(stale(Reader::open(&path)), Stale::Version { found: 99 });

    drop(Index::recreate(&path, "another").unwrap());
    drop(Index::open(&path, "another").unwrap());

    fs::remove_file(path.with_extension("db-wal")).unwrap();
    fs::write(&path, "This is a text of more than sixteen bytes, and no database.").unwrap();
    assert_eq!(stale(Index::open(&path, STORE)), Stale::NotADatabase);
    assert_eq!(stale(Reader::open(&path)), Stale::NotADatabase);
    drop(Index::recreate(&path, STORE).unwrap());
}

#[test]
fn a_database_of_somebody_else_is_not_taken_over() {
    let (_folder, path) = folder();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE a(b)").unwrap();
    assert_eq!(stale(Index::open(&path, STORE)), Stale::Version { found: 0 });
}

#[test]
fn damage_inside_the_file_is_told_and_never_a_panic() {
    let (_folder, path) = folder();
    let records = Records::made_up(200);
    let entries = records.entries();
    add(&mut Index::open(&path, STORE).unwrap(), &entries, 200);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let whole = fs::read(&path).unwrap();
    drop(connection);
    let mut n_stale = 0;
    for page in 0..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0x5a);
        remove(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
        let read = Reader::open(&path).and_then(|reader| {
            reader.stats()?;
            reader.candidates(&[1])?;
            reader.check()
        });
        let read = match read {
            Ok(found) => found.map(|_| Stale::Damaged),
            Err(IndexError::Stale { reason, .. }) => Some(reason),
            Err(error) => panic!("page {page}: {error:?}"),
        };
        assert!(read.is_some(), "nothing was said of page {page}");
        let added = Index::open(&path, STORE).and_then(|mut index| {
            index.add(&entries, &[], upto(&entries))?;
            index.prune(entries[0].meta.position, entries[199].meta.position)
        });
        n_stale += usize::from(matches!(added, Err(IndexError::Stale { .. })));
    }
    assert!(n_stale > 20, "{n_stale}");
}

#[test]
fn a_rebuild_that_breaks_off_leaves_the_old_index_in_use() {
    let (_folder, path) = folder();
    let records = Records::made_up(50);
    let entries = records.entries();
    add(&mut Index::open(&path, STORE).unwrap(), &entries[..30], 10);
    let before = dump(&path);
    let mut rebuild = Rebuild::begin(&path, STORE).unwrap();
    rebuild.add(&entries, &[], upto(&entries)).unwrap();
    drop(rebuild);
    assert_eq!(dump(&path), before);

    let mut rebuild = Rebuild::begin(&path, STORE).unwrap();
    rebuild.add(&entries, &[], upto(&entries)).unwrap();
    rebuild.finish().unwrap();
    assert_eq!(Reader::open(&path).unwrap().stats().unwrap().n_records, 50);
    assert_eq!(Reader::open(&path).unwrap().check().unwrap(), None);
}

#[test]
fn a_half_built_file_is_never_taken_for_an_index() {
    let (_folder, path) = folder();
    let records = Records::made_up(50);
    let entries = records.entries();
    let mut rebuild = Rebuild::begin(&path, STORE).unwrap();
    rebuild.add(&entries, &[], upto(&entries)).unwrap();
    drop(rebuild);
    let half = path.with_extension("db.new");
    let opened = Reader::open(&half).map(|_| ());
    assert!(
        matches!(opened, Err(IndexError::Stale { .. } | IndexError::Missing { .. })),
        "{opened:?}"
    );
}

#[test]
fn whoever_reads_goes_on_reading_while_the_index_is_replaced() {
    let (_folder, path) = folder();
    let records = Records::made_up(50);
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries[..30], 10);
    let reader = Reader::open(&path).unwrap();
    drop(index);
    let mut rebuild = Rebuild::begin(&path, STORE).unwrap();
    rebuild.add(&entries, &[], upto(&entries)).unwrap();
    rebuild.finish().unwrap();
    assert_eq!(reader.stats().unwrap().n_records, 30);
    assert_eq!(Reader::open(&path).unwrap().stats().unwrap().n_records, 50);
}

#[test]
fn what_was_added_is_there_after_the_file_is_closed_and_opened() {
    let (_folder, path) = folder();
    let records = Records::made_up(3000);
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries, 3000);
    drop(index);
    let left = fs::metadata(path.with_extension("db-wal")).map_or(0, |wal| wal.len());
    assert!(left <= 512 * 1024, "{left} bytes have to be read by whoever opens next");
    assert_eq!(Reader::open(&path).unwrap().stats().unwrap().n_records, 3000);
}

#[test]
fn a_reader_without_an_index_is_told_so() {
    let (_folder, path) = folder();
    let opened = Reader::open(&path).map(|_| ());
    assert!(matches!(opened, Err(IndexError::Missing { .. })), "{opened:?}");
    assert!(!path.exists());
}
