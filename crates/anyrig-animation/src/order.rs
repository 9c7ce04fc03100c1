//! What comes first, where things depend on each other.

/// An order in which everything follows what it depends on, and what was cut for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    /// All indexes.
    pub(crate) order: Vec<usize>,
    /// Those that depend on something that comes after them, ascending.
    pub(crate) cut: Vec<usize>,
}

/// Orders `0..dependencies.len()`. Where nothing else decides, lower indexes come first. In a ring the first one that a
/// walk in this order meets goes without the dependency that closes it. A walk with a list instead of recursion, so depth
/// costs no stack.
pub(crate) fn dependencies_first(dependencies: &[Vec<usize>]) -> Order {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut visits = vec![Visit::New; dependencies.len()];
    let mut found = Order::default();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for start in 0..dependencies.len() {
        if visits[start] == Visit::New {
            visits[start] = Visit::Open;
            open.push((start, 0));
        }
        while let Some((here, next)) = open.last_mut() {
            let here = *here;
            let Some(dependency) = dependencies[here].get(*next).copied() else {
                visits[here] = Visit::Done;
                found.order.push(here);
                open.pop();
                continue;
            };
            *next += 1;
            match visits.get(dependency) {
                Some(Visit::New) => {
                    visits[dependency] = Visit::Open;
                    open.push((dependency, 0));
                }
                Some(Visit::Open) if dependency != here => found.cut.push(here),
                _ => {}
            }
        }
    }
    found.cut.sort_unstable();
    found.cut.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_needed_comes_first_and_rings_are_cut() {
        assert!(dependencies_first(&[]).order.is_empty());
        let chain = dependencies_first(&[vec![1], vec![2], vec![], vec![0, 9]]);
        assert_eq!((chain.order, chain.cut), (vec![2, 1, 0, 3], vec![]));
        let ring = dependencies_first(&[vec![1], vec![2], vec![0], vec![3]]);
        assert_eq!((ring.order, ring.cut), (vec![2, 1, 0, 3], vec![2]));
    }

    #[test]
    fn depth_needs_no_stack() {
        let chain: Vec<Vec<usize>> = (1..=200_000).map(|next| vec![next % 200_000]).collect();
        let found = dependencies_first(&chain);
        assert_eq!((found.order.len(), found.cut.len()), (200_000, 1));
    }

    proptest! {
        #[test]
        fn only_what_is_cut_comes_before_a_dependency(
            dependencies in prop::collection::vec(prop::collection::vec(0..12usize, 0..4), 12)
        ) {
            let found = dependencies_first(&dependencies);
            let mut place = [usize::MAX; 12];
            found.order.iter().enumerate().for_each(|(p, i)| place[*i] = p);
            prop_assert!(place.iter().all(|p| *p < 12));
            for (i, needed) in dependencies.iter().enumerate() {
                let early = needed.iter().any(|d| *d != i && place[*d] > place[i]);
                prop_assert_eq!(early, found.cut.contains(&i));
            }
        }
    }
}
