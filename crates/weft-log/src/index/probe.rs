//! Looking keys up, in one snapshot of the file: keys move from rows to runs and from run to run.

use rusqlite::Connection;

use super::keys::{self, Bucket, Family, LEVEL_BITS};
use super::run::{self, Entry};

/// Returns every position that has one of the keys, by key and position. Records may be gone from some.
pub(super) fn find(
    connection: &Connection,
    family: Family,
    keys: &[i64],
) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut keys = keys.to_vec();
    // By run: runs are in the order of the keys without their signs.
    keys.sort_unstable_by_key(|key| *key as u64);
    keys.dedup();
    let mut found = Vec::new();
    let mut read = connection.prepare_cached("SELECT run FROM keys WHERE id = ?1")?;
    for level in 0..LEVEL_BITS.len() {
        let mut at = Bucket { level, number: 0 };
        while let Some(bucket) = keys::next_bucket(connection, at)? {
            for key in &keys {
                let mut rows = read.query([bucket.run(family, *key)])?;
                if let Some(row) = rows.next()? {
                    let run = row.get_ref(0)?.as_blob()?;
                    let positions = run::find(run, bucket.start(), *key);
                    found.extend(positions.map(|position| (*key, position)));
                }
            }
            at = bucket.next();
        }
    }
    let recent = "SELECT position FROM recent_keys WHERE family = ?1 AND key = ?2";
    let mut recent = connection.prepare_cached(recent)?;
    for key in &keys {
        let mut rows = recent.query([family.number(), *key])?;
        while let Some(row) = rows.next()? {
            found.push((*key, row.get(0)?));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Hands every identity key to `each`. Those of records that are gone may be among them.
pub(super) fn each_identity(
    connection: &Connection,
    mut each: impl FnMut(i64),
) -> rusqlite::Result<()> {
    keys::each_run(connection, [0, i64::MAX], |bucket, family, run| {
        if family == Family::Identity {
            run::entries(run, bucket.start()).for_each(|entry| each(entry.key()));
        }
    })?;
    keys::each_recent(connection, |family, entry| {
        if family == Family::Identity {
            each(entry.key());
        }
    })
}

/// Returns the keys of all records whose positions are in a bucket, sorted, by family. They may be kept in smaller buckets.
pub(super) fn entries_in(
    connection: &Connection,
    bucket: Bucket,
) -> rusqlite::Result<[Vec<Entry>; Family::ALL.len()]> {
    let snapshot = connection.unchecked_transaction()?;
    let positions = bucket.positions();
    let (first, last) = (*positions.start(), *positions.end());
    let mut is_there = vec![false; usize::try_from(last - first + 1).unwrap_or(0)];
    let at = |position: i64| usize::try_from(position - first).ok();
    let mut select =
        snapshot.prepare("SELECT position FROM records WHERE position BETWEEN ?1 AND ?2")?;
    let mut rows = select.query([first, last])?;
    while let Some(row) = rows.next()? {
        at(row.get(0)?).into_iter().for_each(|at| is_there[at] = true);
    }
    let mut entries: [Vec<Entry>; Family::ALL.len()] = Default::default();
    let mut keep = |family: Family, entry: Entry| {
        if at(entry.position()).and_then(|at| is_there.get(at)) == Some(&true) {
            entries[family as usize].push(entry);
        }
    };
    for level in 0..LEVEL_BITS.len() {
        let ids = [Bucket::of(level, first).first_run(), *Bucket::of(level, last).runs().end()];
        keys::each_run(&snapshot, ids, |bucket, family, run| {
            run::entries(run, bucket.start()).for_each(|entry| keep(family, entry));
        })?;
    }
    keys::each_recent(&snapshot, &mut keep)?;
    entries.iter_mut().for_each(|entries| entries.sort_unstable());
    Ok(entries)
}
