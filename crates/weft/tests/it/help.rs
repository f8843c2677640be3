//! What a newcomer reads first.

use crate::sandbox::weft;

#[test]
fn without_arguments_it_is_help_and_wrong_use() {
    let ran = weft(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(ran.stderr, weft(&["-h"]).stdout);
}

#[test]
fn the_version_is_told() {
    let version = format!("weft {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(weft(&["--version"]).stdout, version);
}

#[test]
fn every_command_has_an_example() {
    let help = weft(&["-h"]).stdout;
    let commands: Vec<_> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .map_while(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"validate") && commands.contains(&"completions"), "{commands:?}");
    for command in commands {
        let help = weft(&[command, "--help"]).stdout;
        assert!(help.contains(&format!("Examples:\n  weft {command}")), "{help}");
    }
}

/// Returns the help as a whole: what comes before the options, and the rest.
fn help() -> (String, String) {
    let help = weft(&["--help"]).show();
    let (commands, rest) = help.split_once("\n\nOptions:").unwrap();
    (commands.to_owned(), format!("Options:{rest}"))
}

#[test]
fn help_lists_the_commands() {
    insta::assert_snapshot!("commands", help().0);
}

#[test]
fn help_ends_with_examples() {
    insta::assert_snapshot!(help().1, @"
    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Examples:
      weft ingest logs/                take every event in a folder into the log
      weft log 'level>=warn since:2h'  show what happened, by filter
      weft tail                        and what happens
      weft inbox                       see what needs a person
      weft fleet --watch               see what every agent is doing
      weft up                          take events over HTTP too, and pass them on
      weft validate logs/              check every event in a folder
      weft explain logs/a.jsonl:12     say what one event means
      weft convert --to needle a.jsonl say it in another dialect
      weft types collector             list the event types of a dialect

    Exit codes: 0 all is well, 1 something was found, 2 wrong use or unreadable input.
    --- stderr
    --- exit 0
    ");
}

#[test]
fn help_of_validate() {
    insta::assert_snapshot!(weft(&["validate", "--help"]).show(), @"
    Check events and tell every problem with its place

    Reads files of any size, line by line; an event that is wrong never stops the rest. A folder is
    searched, with all folders in it, for files named *.jsonl, *.ndjson and *.json. Without a file,
    standard input is read.

    Usage: weft validate [OPTIONS] [FILE|DIR|-]...

    Arguments:
      [FILE|DIR|-]...
              Files, folders, or - for standard input

    Options:
          --dialect <DIALECT>
              Take every line for an event of this dialect instead of telling it by its shape
              
              [possible values: idle, collector, pinchy, engine, needle, weft]

          --as <DOCUMENT>
              Check documents of the engine dialect that are not events, one a line or one a file
              
              [possible values: action, observation, plan, task, rule, result, evidence]

          --strict
              Treat warnings as errors

          --json
              Print one JSON object a line: every problem, then the summary

          --explain
              Say for every event how its dialect was settled

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      weft validate events.jsonl                 check one file
      weft validate logs/ --strict               check a folder, known deviations included
      tail -n 100 events.jsonl | weft validate   check what is piped in
      weft validate plan.json --as plan          check a document that is not an event
      weft validate --json logs/ | jq .code      let a program read the problems

    Problems go to stdout, one a line, as file:line: pointer: message [code].
    The summary goes to stderr.
    Exit codes: 0 all is valid, 1 an error was found, 2 wrong use or unreadable input.
    --- stderr
    --- exit 0
    ");
}

#[test]
fn help_of_explain() {
    insta::assert_snapshot!(weft(&["explain", "--help"]).show(), @"
    Explain one event: its dialect, its facts, its problems

    Usage: weft explain [OPTIONS] <FILE[:LINE]>

    Arguments:
      <FILE[:LINE]>  A file, or - for standard input; with :LINE the event on that line, else the first

    Options:
          --dialect <DIALECT>  Take the line for an event of this dialect instead of telling it by its
                               shape [possible values: idle, collector, pinchy, engine, needle, weft]
          --json               Print one JSON object
      -h, --help               Print help

    Examples:
      weft explain events.jsonl          the first event of a file
      weft explain events.jsonl:12       the event on line 12
      tail -n 1 events.jsonl | weft explain -

    Exit codes: 0 the event is valid, 1 it has errors, 2 there is no such event.
    --- stderr
    --- exit 0
    ");
}

#[test]
fn help_of_types() {
    insta::assert_snapshot!(weft(&["types", "--help"]).show(), @"
    List the event types: what each means, and the status it gives its actor

    Usage: weft types [OPTIONS] [DIALECT]

    Arguments:
      [DIALECT]  Only the types of this dialect [possible values: idle, collector, pinchy, engine,
                 needle, weft]

    Options:
          --json  Print one JSON object a line for every type
      -h, --help  Print help

    Examples:
      weft types                       every type of every dialect
      weft types collector             those of one dialect
      weft types --json | jq .type     let a program read them

    The status is what the type makes of its actor; - leaves it as it was, and ended means that the
    actor is gone.
    --- stderr
    --- exit 0
    ");
}

#[test]
fn help_of_completions() {
    insta::assert_snapshot!(weft(&["completions", "--help"]).show(), @"
    Print a script that completes weft's arguments in a shell

    Usage: weft completions <SHELL>

    Arguments:
      <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

    Options:
      -h, --help  Print help

    Examples:
      weft completions bash > ~/.local/share/bash-completion/completions/weft
      weft completions zsh > ~/.zfunc/_weft
      weft completions fish > ~/.config/fish/completions/weft.fish
    --- stderr
    --- exit 0
    ");
}

#[test]
fn a_wrong_command_gets_a_suggestion() {
    insta::assert_snapshot!(weft(&["valdate"]).show(), @"
    --- stderr
    error: unrecognized subcommand 'valdate'

      tip: a similar subcommand exists: 'validate'

    Usage: weft <COMMAND>

    For more information, try '--help'.
    --- exit 2
    ");
}
