//! What is packed comes back as it was, and what is not what was packed is refused.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Something of every kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct All {
    flag: bool,
    small: (u8, i8, u16, i16),
    large: (u32, i32, u64, i64),
    real: (f64, char),
    text: String,
    maybe: Option<Option<u64>>,
    list: Vec<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
    named: BTreeMap<String, Vec<u64>>,
    #[serde(skip)]
    derived: u64,
    unit: (),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Unit,
    New(i64),
    Pair(u64, String),
    Fields { a: u64, b: Option<bool> },
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Unit),
        any::<i64>().prop_map(Kind::New),
        (any::<u64>(), ".*").prop_map(|(n, text)| Kind::Pair(n, text)),
        (any::<u64>(), any::<Option<bool>>()).prop_map(|(a, b)| Kind::Fields { a, b }),
    ]
}

prop_compose! {
    fn all()(
        flag in any::<bool>(),
        small in any::<(u8, i8, u16, i16)>(),
        large in any::<(u32, i32, u64, i64)>(),
        real in (-1e300..1e300_f64, any::<char>()),
        text in ".*",
        maybe in any::<Option<Option<u64>>>(),
        list in proptest::collection::vec(kind(), 0..8),
        left_out in any::<Option<String>>(),
        named in proptest::collection::btree_map(".*", proptest::collection::vec(any::<u64>(), 0..4), 0..4),
    ) -> All {
        All { flag, small, large, real, text, maybe, list, left_out, named, derived: 0, unit: () }
    }
}

fn packed(value: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::new();
    write(value, &mut out).unwrap();
    out
}

proptest! {
    #[test]
    fn what_is_written_is_read(all in all()) {
        let out = packed(&all);
        prop_assert_eq!(read::<All>(&out).unwrap(), all);
    }

    #[test]
    fn what_is_cut_or_goes_on_is_refused(all in all(), cut in any::<prop::sample::Index>()) {
        let mut out = packed(&all);
        prop_assert!(read::<All>(&out[..cut.index(out.len())]).is_err());
        out.push(0);
        let is_told = matches!(read::<All>(&out), Err(PackError::Left { n_bytes: 1 }));
        prop_assert!(is_told);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(all) = read::<All>(&bytes) {
            prop_assert_eq!(read::<All>(&packed(&all)).unwrap(), all);
        }
    }
}

#[test]
fn other_fields_and_variants_are_told_from_those_that_were_saved() {
    #[derive(Serialize)]
    struct Before {
        first: u64,
        last: u64,
    }
    #[derive(Debug, Deserialize)]
    struct Turned {
        #[expect(dead_code, reason = "nothing is read into it")]
        last: u64,
        #[expect(dead_code, reason = "nothing is read into it")]
        first: u64,
    }
    let out = packed(&Before { first: 1, last: 2 });
    assert!(matches!(read::<Turned>(&out), Err(PackError::Shapes)));

    #[derive(Debug, Deserialize)]
    enum Other {
        None,
        New(i64),
    }
    assert!(matches!(read::<Other>(&packed(&Kind::New(3))), Ok(Other::New(3))));
    assert!(matches!(read::<Other>(&packed(&Kind::Unit)), Err(PackError::Shapes)));
    let pair = packed(&Kind::Pair(3, String::new()));
    assert!(matches!(read::<Other>(&pair), Err(PackError::Value)));
}

#[test]
fn a_length_that_cannot_be_makes_no_room() {
    // A list of 2^63 numbers.
    let claim = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F];
    assert!(matches!(read::<Vec<u64>>(&claim), Err(PackError::Ended)));
    // A number of more than 64 bits.
    let number = [0xFF; 10];
    assert!(matches!(read::<u64>(&number), Err(PackError::Value)));
}

#[test]
fn it_takes_few_bytes() {
    // A byte for each number up to 127, and its sign beside it; at the end how many names were met.
    assert_eq!(packed(&(1_u64, -1_i64, Some("a"))), [1, 1, 1, 1, b'a', 0]);
}
