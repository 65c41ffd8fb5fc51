//! The sizes of IN lists and multi-row inserts. Each size is a prepared statement of its own on
//! every connection, so only a few sizes are used: lists are padded to them, and inserts are split
//! into chunks of them.

const SIZES: [usize; 19] = [512, 384, 320, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1];

/// The highest number of items of a list.
pub(crate) const LIST_MAX: usize = SIZES[0];

/// Splits `items` into chunks of the known sizes, the largest first.
pub(crate) fn sized_chunks<T>(items: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= items.len())?;
        Some(items.by_ref().take(size).collect())
    })
}

/// Splits `items` into lists of the known sizes; the last list is padded by repeating its last
/// item.
pub(crate) fn padded_chunks<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    padded_chunks_of(LIST_MAX, items)
}

/// As [`padded_chunks`], with lists of at most `size_max` items; `size_max` is a known size.
pub(crate) fn padded_chunks_of<T: Clone>(size_max: usize, items: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    items.chunks(size_max).map(|chunk| {
        let size = SIZES.into_iter().rev().find(|size| *size >= chunk.len()).unwrap_or(chunk.len());
        let mut list = chunk.to_vec();
        if let Some(last) = chunk.last() {
            list.resize(size, last.clone());
        }
        list
    })
}

#[cfg(test)]
mod tests {
    use super::{SIZES, padded_chunks, sized_chunks};

    #[test]
    fn every_item_comes_once_and_every_size_is_known() {
        for count in 0..=1_100 {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(sized_chunks(items.clone()).flatten().count(), count);
            assert!(sized_chunks(items.clone()).all(|chunk| SIZES.contains(&chunk.len())));
            let lists: Vec<_> = padded_chunks(&items).collect();
            assert!(lists.iter().all(|list| SIZES.contains(&list.len())));
            let mut flattened: Vec<_> = lists.into_iter().flatten().collect();
            flattened.dedup();
            assert_eq!(flattened, items);
        }
    }
}
