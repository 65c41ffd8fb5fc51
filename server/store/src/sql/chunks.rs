//! Sizes of IN lists and multi-row inserts. Each size is a statement of its own on every
//! connection, so only these few are used: lists are padded to them, and inserts are cut to them.

const SIZES: [usize; 19] = [512, 384, 320, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1];

/// Cuts `items` into pieces of the known sizes, the largest first.
pub(crate) fn cut<T>(items: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= items.len())?;
        Some(items.by_ref().take(size).collect())
    })
}

/// Splits `items` into lists of the known sizes; the last list is padded by repeating its last
/// item.
pub(crate) fn padded<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    padded_to(SIZES[0], items)
}

/// As [`padded`], with lists of at most `most` items; `most` is one of the known sizes.
pub(crate) fn padded_to<T: Clone>(most: usize, items: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    items.chunks(most).map(|chunk| {
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
    use super::{SIZES, cut, padded};

    #[test]
    fn every_item_comes_once_and_every_size_is_known() {
        for count in 0..=1_100 {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(cut(items.clone()).flatten().count(), count);
            assert!(cut(items.clone()).all(|piece| SIZES.contains(&piece.len())));
            let lists: Vec<_> = padded(&items).collect();
            assert!(lists.iter().all(|list| SIZES.contains(&list.len())));
            let mut seen: Vec<_> = lists.into_iter().flatten().collect();
            seen.dedup();
            assert_eq!(seen, items);
        }
    }
}
