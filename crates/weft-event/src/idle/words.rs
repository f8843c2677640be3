//! Words that never vary: the types of fields that say what an object is, so that a record cannot be written with a wrong one.

use crate::shape::word;

word!(StateWord = "STATE");
word!(DoneWord = "DONE");
word!(AbortWord = "ABORT");
word!(AnchorWord = "ANCHOR");
word!(RequestWord = "REQUEST");
word!(AckWord = "ACK");
word!(ResultWord = "RESULT");
word!(TopicWord = "topic");
word!(MessageWord = "message");
word!(LoopWord = "loop");
word!(GrindWord = "grind");
word!(IssueWord = "issue");
