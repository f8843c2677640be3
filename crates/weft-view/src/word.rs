//! Words of the events' vocabulary in saved views: each by its text, so that a saved view does not depend on how they are numbered.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use weft_event::report::{AskKind, CallPhase, Finding, PeerPhase, StepStatus, TurnPhase, Verdict};
use weft_event::{Level, Status};

/// A word that can be saved and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word<T>(pub T);

macro_rules! words {
    ($($Type:ty),+) => {
        $(
            impl Serialize for Word<$Type> {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.0.as_str())
                }
            }

            impl<'de> Deserialize<'de> for Word<$Type> {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let text = Cow::<'de, str>::deserialize(deserializer)?;
                    let word = <$Type>::parse(&text);
                    word.map(Self).ok_or_else(|| de::Error::unknown_variant(&text, <$Type>::WORDS))
                }
            }
        )+
    };
}

words!(AskKind, CallPhase, Finding, Level, PeerPhase, Status, StepStatus, TurnPhase, Verdict);
