//! Deleting segments: what has to outlive them is appended first, then the files go, then what the index and the blobs know of them.

use super::journal::{self, Journal};
use super::{PruneError, append_record, remove_files, segments, unreferenced};
use crate::Store;
use crate::blobs::Swept;
use crate::disk::RealDisk;
use crate::log::{CarriedCount, Log, Removed};
use crate::reader::{first_kept, read_head};
use crate::segment::Form;

/// Completes a deletion that was begun and not ended, unless another process is at it.
pub(crate) fn resume(log: &Log, store: &Store) -> Result<(), PruneError> {
    if journal::exists(store)
        && let Some(_lock) = super::lock(store)?
    {
        finish(log, store)?;
    }
    Ok(())
}

/// Does what the journal says; each step can be done twice.
pub(super) fn finish(log: &Log, store: &Store) -> Result<(CarriedCount, Swept), PruneError> {
    let (mut carried, mut swept) = (CarriedCount::default(), Swept::default());
    let Some(Journal { runs, has_blobs }) = journal::read(store)? else {
        return Ok((carried, swept));
    };
    for run in &runs {
        for segment in &run.segments {
            let CarriedCount { n_carried, n_unreadable } =
                log.carry(&segments::range(segment.first, segment.next))?;
            carried.n_carried += n_carried;
            carried.n_unreadable += n_unreadable;
        }
        append_record(log, store, &run.record)?;
    }
    let gone = || runs.iter().flat_map(|run| &run.segments);
    let forms = [Form::Plain, Form::Archive];
    let files = gone().flat_map(|segment| forms.map(|form| (segment.name, form)));
    remove_files(store, &files.collect::<Vec<_>>())?;

    let first_kept = match first_kept(RealDisk, store.root())? {
        Some(first) => first,
        None => read_head(&RealDisk, store.root())?.next,
    };
    let ranges = gone().map(|gone| (gone.number, segments::range(gone.first, gone.next)));
    log.forget_removed(&Removed { segments: ranges.collect(), first_kept })?;
    log.compact_index()?;
    log.close()?;
    if has_blobs {
        swept = unreferenced::sweep(store)?;
    }
    journal::remove(store)?;
    Ok((carried, swept))
}
