//! Tool actions: what an agent asks the engine to do, one type each, and the observation that comes back.

use std::borrow::Cow;

use crate::json::{Json, Kind, Value};
use crate::problem::Code;
use crate::shape::{Check, Is, Rule, Union, Variant, When, Wire, record, word};

/// Declares every action once: its word, its record, its place in [`Action`] and in the union of shapes.
macro_rules! actions {
    ($(
        $(#[doc = $about:literal])+
        $Name:ident = $SHAPE:ident($word:literal as $Word:ident) { $($fields:tt)* }
    )+) => {
        $(
            word!($Word = $word);

            record! {
                $(#[doc = $about])+
                pub struct $Name = $SHAPE($word, Allowed) {
                    /// Id of this very action.
                    id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
                    /// Which action it is.
                    kind as "type": ! $Word = Check::Text(Rule::OneOf(&[$word]));
                    $($fields)*
                }
            }
        )+

        /// The names of the known actions.
        pub const ACTIONS: &[&str] = &[$($word,)+];

        /// What an agent asks the engine to do.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Action<'a> {
            $($(#[doc = $about])+ $Name($Name<'a>),)+
            /// One that is not known: kept, and never executed.
            Unknown(UnknownAction<'a>),
        }

        /// The shapes of all actions.
        pub static ACTION: Union = Union {
            title: "Tool Action",
            variants: &[$(Variant { when: &[When::new("type", Is::Text($word))], shape: &$SHAPE },)+],
            otherwise: &UNKNOWN_ACTION,
        };

        impl<'a> Action<'a> {
            /// Returns the action's id.
            pub fn id(&self) -> &str {
                match self {
                    $(Action::$Name(action) => &action.id,)+
                    Action::Unknown(action) => &action.id,
                }
            }

            /// Returns the action's name.
            pub fn name(&self) -> &str {
                match self {
                    $(Action::$Name(_) => $word,)+
                    Action::Unknown(action) => &action.kind,
                }
            }

            fn read_by_name(value: Value<'a>) -> Option<Self> {
                match value.text_at("type")?.as_ref() {
                    $($word => $Name::read(value).map(Action::$Name),)+
                    _ => UnknownAction::read(value).map(Action::Unknown),
                }
            }
        }

        impl<'a> Wire<'a> for Action<'a> {
            fn read(value: Value<'a>) -> Option<Self> {
                match CheckpointRestore::read_two_ids(value) {
                    Some(restore) => Some(Action::CheckpointRestore(restore)),
                    None => Self::read_by_name(value),
                }
            }

            fn write(&self, out: &mut String) {
                match self {
                    $(Action::$Name(action) => action.write(out),)+
                    Action::Unknown(action) => action.write(out),
                }
            }
        }
    };
}

actions! {
    /// Runs a program with its arguments, without a shell.
    TerminalRun = TERMINAL_RUN("terminal.run" as TerminalRunWord) {
        /// The program.
        program: ! Cow<'a, str> = Check::TEXT;
        /// Its arguments.
        args: ! Vec<Cow<'a, str>> = Check::TEXTS;
        /// Where it runs; the workspace if left out.
        cwd: ? Cow<'a, str> = Check::TEXT;
    }
    /// Runs a line in a shell.
    TerminalExec = TERMINAL_EXEC("terminal.exec" as TerminalExecWord) {
        /// The line.
        cmd: ! Cow<'a, str> = Check::TEXT;
        /// Where it runs; the workspace if left out.
        cwd: ? Cow<'a, str> = Check::TEXT;
    }
    /// Reads a file.
    FsRead = FS_READ("fs.read" as FsReadWord) {
        /// The file.
        path: ! Cow<'a, str> = Check::TEXT;
    }
    /// Writes a whole file.
    FsWrite = FS_WRITE("fs.write" as FsWriteWord) {
        /// The file.
        path: ! Cow<'a, str> = Check::TEXT;
        /// What it shall hold.
        content: ! Cow<'a, str> = Check::TEXT;
    }
    /// Applies a patch to a file.
    FsApplyPatch = FS_APPLY_PATCH("fs.applyPatch" as FsApplyPatchWord) {
        /// The file.
        path: ! Cow<'a, str> = Check::TEXT;
        /// The patch.
        patch: ! Cow<'a, str> = Check::TEXT;
    }
    /// Searches files for a pattern.
    FsSearch = FS_SEARCH("fs.search" as FsSearchWord) {
        /// The pattern.
        pattern: ! Cow<'a, str> = Check::TEXT;
        /// Where to look.
        paths: ! Vec<Cow<'a, str>> = Check::TEXTS;
    }
    /// Asks what has changed in the working tree.
    GitStatus = GIT_STATUS("git.status" as GitStatusWord) {}
    /// Asks for the changes themselves.
    GitDiff = GIT_DIFF("git.diff" as GitDiffWord) {
        /// The one file to compare; all if left out.
        path: ? Cow<'a, str> = Check::TEXT;
    }
    /// Commits the changes.
    GitCommit = GIT_COMMIT("git.commit" as GitCommitWord) {
        /// The commit's message.
        message: ! Cow<'a, str> = Check::TEXT;
    }
    /// Saves the state of the workspace.
    CheckpointCreate = CHECKPOINT_CREATE("checkpoint.create" as CheckpointCreateWord) {
        /// A name for it.
        label: ? Cow<'a, str> = Check::TEXT;
    }
    /// Brings a saved state of the workspace back.
    CheckpointRestore = CHECKPOINT_RESTORE("checkpoint.restore" as CheckpointRestoreWord) {
        /// The checkpoint; the document writes it as a second `id`.
        checkpoint_id as "checkpointId": ! Cow<'a, str> = Check::TEXT;
    }
    /// Fetches a page.
    BrowserFetch = BROWSER_FETCH("browser.fetch" as BrowserFetchWord) {
        /// The page's address.
        url: ! Cow<'a, str> = Check::TEXT;
    }
    /// Runs the tests of the workspace.
    TestsRun = TESTS_RUN("tests.run" as TestsRunWord) {
        /// The program and its arguments, if not those that the workspace is known for.
        command: ? Vec<Cow<'a, str>> = Check::TEXTS;
        /// Where it runs; the workspace if left out.
        cwd: ? Cow<'a, str> = Check::TEXT;
    }
    /// Changes the plan.
    PlanUpdate = PLAN_UPDATE("plan.update" as PlanUpdateWord) {
        /// The plan, or what changes in it.
        plan: ? Json<'a> = Check::Object;
    }
    /// Changes the task.
    TaskUpdate = TASK_UPDATE("task.update" as TaskUpdateWord) {
        /// The task, or what changes in it.
        task: ? Json<'a> = Check::Object;
    }
    /// Asks a person.
    UserAsk = USER_ASK("user.ask" as UserAskWord) {
        /// The question.
        question: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// An action that is not known: kept, and never executed.
    pub struct UnknownAction = UNKNOWN_ACTION("Unknown Action", Allowed) {
        /// Id of this very action.
        id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// Which action it is.
        kind as "type": ! Cow<'a, str> = Check::Text(Rule::Known(ACTIONS, Code::UnknownAction));
    }
}

record! {
    /// What came of an action.
    pub struct Observation = OBSERVATION("Observation", Allowed) {
        /// Whether it went well.
        ok: ! bool = Check::Bool;
        /// What came of it, in short.
        summary: ! Cow<'a, str> = Check::TEXT;
        /// Exit code of the program, if one ran.
        exit_code as "exitCode": ? i64 = Check::INTEGER;
        /// What it left behind.
        artifacts: ? Json<'a> = Check::Object;
        /// All that came back.
        raw: ? Json<'a> = Check::Object;
    }
}

impl Action<'_> {
    /// Returns the action as one line of JSON.
    pub fn to_line(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

impl<'a> CheckpointRestore<'a> {
    /// Reads the action as the document writes it: the second `id` is the checkpoint's.
    fn read_two_ids(value: Value<'a>) -> Option<Self> {
        let (_, checkpoint) = second_id(value)?;
        let others = value.members().filter(|(key, _)| !key.is_text("id") && !key.is_text("type"));
        let extra = others.filter_map(|(key, member)| Some((key.as_text()?, Json::of(member))));
        Some(Self {
            id: value.text_at("id")?,
            kind: CheckpointRestoreWord,
            checkpoint_id: checkpoint.as_text()?,
            extra: extra.collect(),
        })
    }
}

/// Returns the second `id` of a `checkpoint.restore` that has no `checkpointId`: key and value.
pub(super) fn second_id(action: Value<'_>) -> Option<(Value<'_>, Value<'_>)> {
    let is_restore = action.get("type").is_some_and(|kind| kind.is_text("checkpoint.restore"));
    if !is_restore || action.get("checkpointId").is_some() {
        return None;
    }
    let second = action.members().filter(|(key, _)| key.is_text("id")).nth(1);
    second.filter(|(_, checkpoint)| checkpoint.kind() == Kind::Text)
}
