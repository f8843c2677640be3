//! Stack frames: one nested piece of work each, with the fields of its mode.

use std::borrow::Cow;

use super::run::{Iteration, Mode};
use super::words::{GrindWord, IssueWord, LoopWord};
use crate::json::Value;
use crate::shape::{Check, Is, Pattern, Rule, Union, Variant, When, Wire, record};

static ABSOLUTE_PATH: Pattern = Pattern {
    regex: r"^(/|[A-Za-z]:[\\/])",
    matches: |text| match text.as_bytes() {
        [b'/', ..] => true,
        [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    },
    expected: "an absolute path",
};

/// An iteration counts from 1.
const ITER: Check = Check::Integer { min: 1 };
const PATH: Check = Check::Text(Rule::Pattern(&ABSOLUTE_PATH));

record! {
    /// A frame that repeats one prompt.
    pub struct LoopFrame = LOOP_FRAME("Loop Frame", Allowed) {
        /// Id of the frame.
        id: ! Cow<'a, str> = Check::TEXT;
        /// The mode, `loop`.
        mode: ! LoopWord = Check::Text(Rule::OneOf(Mode::WORDS));
        /// The iteration it is at, from 1.
        iter: ! u64 = ITER;
        /// The iterations it may have.
        max: ! u64 = Check::COUNT;
        /// The file that holds the prompt, as an absolute path.
        prompt_file: ! Cow<'a, str> = PATH;
    }
}

record! {
    /// A frame that takes issue after issue.
    pub struct GrindFrame = GRIND_FRAME("Grind Frame", Allowed) {
        /// Id of the frame.
        id: ! Cow<'a, str> = Check::TEXT;
        /// The mode, `grind`.
        mode: ! GrindWord = Check::Text(Rule::OneOf(GrindWord::WORDS));
        /// The issue it is at, from 1.
        iter: ! u64 = ITER;
        /// The issues it may take.
        max: ! u64 = Check::COUNT;
        /// The file that holds the prompt, as an absolute path.
        prompt_file: ! Cow<'a, str> = PATH;
        /// Which issues it takes, such as `priority:1`.
        filter: ! Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// A frame that works on one issue in a worktree.
    pub struct IssueFrame = ISSUE_FRAME("Issue Frame", Allowed) {
        /// Id of the frame.
        id: ! Cow<'a, str> = Check::TEXT;
        /// The mode, `issue`.
        mode: ! IssueWord = Check::Text(Rule::OneOf(IssueWord::WORDS));
        /// The iteration it is at, from 1.
        iter: ! u64 = ITER;
        /// The iterations it may have.
        max: ! u64 = Check::COUNT;
        /// The file that holds the prompt, as an absolute path.
        prompt_file: ! Cow<'a, str> = PATH;
        /// The issue.
        issue_id: ! Cow<'a, str> = Check::TEXT;
        /// The worktree, as an absolute path.
        worktree_path: ! Cow<'a, str> = PATH;
        /// The branch of the worktree.
        branch: ! Cow<'a, str> = Check::TEXT;
        /// The branch that it started from.
        base_ref: ! Cow<'a, str> = Check::TEXT;
    }
}

/// The shape of a [`Frame`]: by its mode.
pub static FRAME: Union = Union {
    title: "Stack Frame",
    variants: &[
        Variant { when: &[When::new("mode", Is::Text("grind"))], shape: &GRIND_FRAME },
        Variant { when: &[When::new("mode", Is::Text("issue"))], shape: &ISSUE_FRAME },
    ],
    otherwise: &LOOP_FRAME,
};

/// One frame of a stack. The last of a stack is the one at work.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame<'a> {
    /// In mode `loop`.
    Loop(LoopFrame<'a>),
    /// In mode `grind`.
    Grind(GrindFrame<'a>),
    /// In mode `issue`.
    Issue(IssueFrame<'a>),
}

impl Frame<'_> {
    /// Returns the frame's id.
    pub fn id(&self) -> &str {
        match self {
            Frame::Loop(frame) => &frame.id,
            Frame::Grind(frame) => &frame.id,
            Frame::Issue(frame) => &frame.id,
        }
    }

    /// Returns the frame's mode.
    pub fn mode(&self) -> Mode {
        match self {
            Frame::Loop(_) => Mode::Loop,
            Frame::Grind(_) => Mode::Grind,
            Frame::Issue(_) => Mode::Issue,
        }
    }

    /// Returns how far the frame is.
    pub fn iteration(&self) -> Iteration {
        let (current, max) = match self {
            Frame::Loop(frame) => (frame.iter, frame.max),
            Frame::Grind(frame) => (frame.iter, frame.max),
            Frame::Issue(frame) => (frame.iter, frame.max),
        };
        Iteration { current, max }
    }

    /// Returns the file that holds the frame's prompt.
    pub fn prompt_file(&self) -> &str {
        match self {
            Frame::Loop(frame) => &frame.prompt_file,
            Frame::Grind(frame) => &frame.prompt_file,
            Frame::Issue(frame) => &frame.prompt_file,
        }
    }
}

impl<'a> Wire<'a> for Frame<'a> {
    fn read(value: Value<'a>) -> Option<Self> {
        match Mode::parse(&value.text_at("mode")?)? {
            Mode::Loop => LoopFrame::read(value).map(Frame::Loop),
            Mode::Grind => GrindFrame::read(value).map(Frame::Grind),
            Mode::Issue => IssueFrame::read(value).map(Frame::Issue),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Frame::Loop(frame) => frame.write(out),
            Frame::Grind(frame) => frame.write(out),
            Frame::Issue(frame) => frame.write(out),
        }
    }
}
