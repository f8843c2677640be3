//! Blind changes of bytes: flips, cuts, inserts, words that JSON and the dialects care about, and pieces of other files.

const WORDS: &[&str] = &[
    "null",
    "true",
    "1e308",
    "1e309",
    "-0",
    "0.0",
    "18446744073709551616",
    "\\u0000",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\u0061",
    "\"\"",
    "[]",
    "{}",
    "[[[[",
    "\"type\":",
    "\"event\":",
    "\"event_type\":",
    "\"version\":",
    "\"schema\":0,",
    "\"weft_seal\":{},",
    "\u{feff}",
    "é",
    "\"payload\":{",
    "\"data\":{},",
    "2016-12-31T23:59:60Z",
    "\r\n",
    "\n",
];

pub(crate) struct Changes<'f> {
    state: u64,
    files: &'f [Vec<u8>],
}

impl<'f> Changes<'f> {
    pub(crate) fn new(seed: u64, files: &'f [Vec<u8>]) -> Self {
        Self { state: seed, files }
    }

    /// Returns one of the files with one to four changes.
    pub(crate) fn next_input(&mut self) -> Vec<u8> {
        let mut bytes = self.files[self.below(self.files.len())].clone();
        for _ in 0..=self.below(4) {
            self.change(&mut bytes);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let end = (at + self.below(12)).min(bytes.len());
        match self.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let word = WORDS[self.below(WORDS.len())].as_bytes();
                drop(bytes.splice(at..end, word.iter().copied()));
            }
            3 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            4 => {
                let other = &self.files[self.below(self.files.len())];
                let from = self.below(other.len() + 1);
                let to = (from + self.below(60)).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            _ => bytes.insert(at, (self.bits() >> 8) as u8),
        }
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }
}
