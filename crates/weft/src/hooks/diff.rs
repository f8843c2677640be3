//! What changes in a text, line by line, in the form of `diff -u`.

/// Lines that are shown around a change.
const CONTEXT: usize = 3;

/// Steps that are taken to find the shortest difference; beyond them everything between the first and the last change is one.
const STEPS_MAX: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Keep,
    Drop,
    Put,
}

/// Returns the difference between two texts; empty if there is none.
pub(super) fn unified(name: &str, before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let steps = steps(&old, &new);
    let mut out = String::new();
    for hunk in hunks(&steps) {
        if out.is_empty() {
            out = format!("--- {name}\n+++ {name}\n");
        }
        let count = |until: usize, kinds: [Step; 2]| {
            steps[..until].iter().filter(|step| kinds.contains(step)).count()
        };
        let (mut o, mut n) = (
            count(hunk.start, [Step::Keep, Step::Drop]),
            count(hunk.start, [Step::Keep, Step::Put]),
        );
        let sizes = (
            count(hunk.end, [Step::Keep, Step::Drop]) - o,
            count(hunk.end, [Step::Keep, Step::Put]) - n,
        );
        let from = |at: usize, size: usize| if size == 0 { at } else { at + 1 };
        out +=
            &format!("@@ -{},{} +{},{} @@\n", from(o, sizes.0), sizes.0, from(n, sizes.1), sizes.1);
        for step in &steps[hunk] {
            let (mark, line) = match step {
                Step::Keep | Step::Drop => (if *step == Step::Keep { ' ' } else { '-' }, old[o]),
                Step::Put => ('+', new[n]),
            };
            o += usize::from(*step != Step::Put);
            n += usize::from(*step != Step::Drop);
            out.push(mark);
            out.push_str(line.trim_end_matches(['\r', '\n']));
            out.push_str(if line.ends_with('\n') {
                "\n"
            } else {
                "\n\\ no line break at the end\n"
            });
        }
    }
    out
}

/// Returns the runs of steps that are shown together.
fn hunks(steps: &[Step]) -> Vec<std::ops::Range<usize>> {
    let mut hunks: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, _) in steps.iter().enumerate().filter(|(_, step)| **step != Step::Keep) {
        let (start, end) = (at.saturating_sub(CONTEXT), (at + 1 + CONTEXT).min(steps.len()));
        match hunks.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            Some(_) | None => hunks.push(start..end),
        }
    }
    hunks
}

/// Returns the way from one list of lines to the other with the fewest changes.
fn steps(old: &[&str], new: &[&str]) -> Vec<Step> {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let n_start = old.iter().zip(new).take_while(same).count();
    let (old, new) = (&old[n_start..], &new[n_start..]);
    let n_end = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let (old, new) = (&old[..old.len() - n_end], &new[..new.len() - n_end]);
    let mut steps = vec![Step::Keep; n_start];
    if old.len().saturating_mul(new.len()) > STEPS_MAX {
        steps.extend(std::iter::repeat_n(Step::Drop, old.len()));
        steps.extend(std::iter::repeat_n(Step::Put, new.len()));
    } else {
        middle(old, new, &mut steps);
    }
    steps.extend(std::iter::repeat_n(Step::Keep, n_end));
    steps
}

fn middle(old: &[&str], new: &[&str], steps: &mut Vec<Step>) {
    // How many lines two ends have in common, from each pair of places on.
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for o in (0..old.len()).rev() {
        for n in (0..new.len()).rev() {
            common[o * width + n] = if old[o] == new[n] {
                common[(o + 1) * width + n + 1] + 1
            } else {
                common[(o + 1) * width + n].max(common[o * width + n + 1])
            };
        }
    }
    let (mut o, mut n) = (0, 0);
    while o < old.len() || n < new.len() {
        let step = if o < old.len() && n < new.len() && old[o] == new[n] {
            Step::Keep
        } else if n == new.len()
            || o < old.len() && common[(o + 1) * width + n] >= common[o * width + n + 1]
        {
            Step::Drop
        } else {
            Step::Put
        };
        o += usize::from(step != Step::Put);
        n += usize::from(step != Step::Drop);
        steps.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn lines_that_differ_stand_with_those_around_them() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let after = "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk\nx\nl";
        insta::assert_snapshot!(unified("f", before, after), @r"
        --- f
        +++ f
        @@ -2,11 +2,12 @@
         b
         c
         d
        -e
        +E
         f
         g
         h
         i
         j
         k
        -l
        +x
        +l
        \ no line break at the end
        ");
        assert_eq!(unified("f", before, before), "");
    }

    #[test]
    fn a_new_file_and_one_that_goes_are_all_new_and_all_gone() {
        insta::assert_snapshot!(unified("f", "", "a\nb\n"), @"
        --- f
        +++ f
        @@ -0,0 +1,2 @@
        +a
        +b
        ");
        insta::assert_snapshot!(unified("f", "a\n", ""), @"
        --- f
        +++ f
        @@ -1,1 +0,0 @@
        -a
        ");
    }
}
