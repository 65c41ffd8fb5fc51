//! The median of a sample, and an interval for the median of the population.

/// The minimum probability that the interval contains the true median.
const CONFIDENCE: f64 = 0.95;

/// The median of a sample with its 95 % interval of order statistics, from the k-th smallest to the
/// k-th largest value. It assumes no distribution: the number of values below the true median is
/// binomial with probability one half. k is the largest rank at which the interval misses the true
/// median in at most 5 % of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Median {
    pub(super) value: f64,
    /// Both ends of the interval; `None` for fewer than six values, whose extremes miss the median
    /// in more than 5 % of samples.
    pub(super) interval: Option<(f64, f64)>,
}

impl Median {
    /// Returns the median of a sample, or `None` for an empty one.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let middle = (sorted.get(count.checked_sub(1)? / 2)? + sorted.get(count / 2)?) / 2.0;
        let interval = rank(count).and_then(|k| Some((*sorted.get(k - 1)?, *sorted.get(count - k)?)));
        Some(Self { value: middle, interval })
    }
}

/// Returns the rank k of the interval, counted from 1.
fn rank(count: usize) -> Option<usize> {
    let (mut below, mut term, mut found) = (0.0, 0.5_f64.powf(count as f64), None);
    for k in 1..=count / 2 {
        // The probability that fewer than k values lie below the median.
        below += term;
        if 1.0 - 2.0 * below < CONFIDENCE {
            break;
        }
        found = Some(k);
        term *= (count - k + 1) as f64 / k as f64;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_are_those_of_the_tables_of_the_sign_test() {
        let known = [(5, None), (6, Some(1)), (8, Some(1)), (9, Some(2)), (10, Some(2)), (12, Some(3)), (15, Some(4))];
        for (count, k) in known.into_iter().chain([(20, Some(6)), (25, Some(8)), (50, Some(18)), (100, Some(40))]) {
            assert_eq!(rank(count), k, "{count}");
        }
    }

    #[test]
    fn nine_values_have_an_interval_from_the_second_to_the_eighth() {
        let values = [1.09, 1.01, 1.05, 1.02, 1.08, 1.03, 1.07, 1.04, 1.06];
        assert_eq!(Median::of(&values), Some(Median { value: 1.05, interval: Some((1.02, 1.08)) }));
    }

    #[test]
    fn few_values_have_a_median_and_no_interval() {
        assert_eq!(Median::of(&[1.0, 3.0]), Some(Median { value: 2.0, interval: None }));
        assert_eq!(Median::of(&[]), None);
    }
}
