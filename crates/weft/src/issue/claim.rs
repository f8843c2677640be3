//! Claiming issues and giving them back.

use std::time::Duration;

use weft_log::filter::parse_time;
use weft_runtime::issues::{self, Claimant, Issue, LEASE, Moment, Refusal, Releaser};

use super::desk::{Claimed, Desk};
use super::list::FilterArgs;
use super::show;
use super::who::{Signature, WhoArgs, made_instance};
use crate::Outcome;
use crate::output::{Format, Shown, print, tell};
use crate::stores::StoreArgs;
use crate::times;

/// Most that a lease may last: who is gone that long does not come back.
const LEASE_MAX: Duration = Duration::from_secs(7 * 24 * 3600);

/// Take an issue, or renew the claim on one that is yours
///
/// A claim counts until its lease is over; the same owner and instance renew it by claiming again. One that is over is released and
/// taken by whoever comes next, one that is not never is.
#[derive(clap::Args)]
pub(super) struct ClaimArgs {
    /// Its id, or how that begins; with --next, which issues to choose from, such as `priority:1`
    #[arg(value_name = "ID|FILTER", required_unless_present = "next")]
    words: Vec<String>,
    /// Take the first that is ready
    #[arg(long)]
    next: bool,
    #[command(flatten)]
    who: WhoArgs,
    /// Which of your sessions or processes this is [default: a new one]
    #[arg(long)]
    instance: Option<String>,
    /// How long the claim counts, such as 90s, 15m or 2h; at most 7d
    #[arg(long, value_name = "TIME", value_parser = lease)]
    lease: Option<Duration>,
}

/// Give an issue back
#[derive(clap::Args)]
pub(super) struct ReleaseArgs {
    /// Its id, or how that begins
    id: String,
    #[command(flatten)]
    who: WhoArgs,
    /// Only if this one of your sessions or processes has it
    #[arg(long)]
    instance: Option<String>,
    /// Whoever has it: for one that is gone and whose lease is not over
    #[arg(long)]
    force: bool,
}

fn lease(text: &str) -> Result<Duration, &'static str> {
    let before_ns = parse_time(text, 0).filter(|ns| *ns < 0);
    let lease = before_ns.map(|ns| Duration::from_nanos(ns.unsigned_abs()));
    match lease {
        Some(lease) if lease <= LEASE_MAX => Ok(lease),
        Some(_) => Err("longer than 7d"),
        None => Err("not a time such as 90s, 15m or 2h"),
    }
}

pub(super) fn claim(
    stores: &StoreArgs,
    args: &ClaimArgs,
    format: Format,
) -> anyhow::Result<Outcome> {
    let desk = Desk::open(stores)?;
    let owner = args.who.owner();
    let instance = args.instance.clone().unwrap_or_else(made_instance);
    let claimant =
        Claimant { owner: &owner, instance: &instance, lease: args.lease.unwrap_or(LEASE) };
    let signature = Signature::of(&owner, &instance);
    let claimed = if args.next {
        let filter = FilterArgs::of(&args.words).parse()?;
        desk.claim_next(&filter, &claimant, &signature)?
    } else {
        let [id] = args.words.as_slice() else {
            anyhow::bail!("one id is claimed at a time; --next takes a filter");
        };
        desk.claim(id, &claimant, &signature)?
    };
    match claimed {
        Claimed::Yes(issue) => {
            tell_claimed(&issue, format)?;
            Ok(Outcome::Fine)
        }
        Claimed::No(refusal) => {
            tell_refused(&refusal);
            Ok(Outcome::Found)
        }
        Claimed::Nothing => {
            tell(format_args!("nothing is ready"));
            Ok(Outcome::Found)
        }
    }
}

fn tell_claimed(issue: &Issue, format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        print(show::changed(issue).as_bytes())?;
        return Ok(());
    }
    print(format!("{}\n", issue.id).as_bytes())?;
    if let Some(claim) = &issue.claim {
        let (owner, instance) = (Shown(&claim.owner), Shown(&claim.instance));
        let left_ms = claim.until_ms.saturating_sub(issue.updated_at_ms);
        let left = times::duration(left_ms.unsigned_abs());
        tell(format_args!("{} is yours for {left}: {owner}, instance {instance}", issue.id));
    }
    Ok(())
}

/// Tells why not. Who has it may have chosen any name.
fn tell_refused(refusal: &Refusal) {
    tell(format_args!("{}", Shown(&refusal.to_string())));
}

pub(super) fn release(
    stores: &StoreArgs,
    args: &ReleaseArgs,
    format: Format,
) -> anyhow::Result<Outcome> {
    let desk = Desk::open(stores)?;
    let owner = args.who.owner();
    let releaser = match &args.instance {
        _ if args.force => Releaser::Anyone,
        Some(instance) => Releaser::Instance { owner: &owner, instance },
        None => Releaser::Owner(&owner),
    };
    let instance = args.instance.as_deref().unwrap_or(&owner);
    let mut refusal = None;
    let make = &mut |issue: &Issue, now: &Moment| {
        refusal = None;
        match issues::release(issue, releaser, now) {
            Ok(released) => Ok(released.into_iter().collect()),
            Err(refused) => {
                refusal = Some(refused);
                Ok(Vec::new())
            }
        }
    };
    let issue = desk.change(&args.id, &Signature::of(&owner, instance), make)?;
    if let Some(refusal) = refusal {
        tell_refused(&refusal);
        return Ok(Outcome::Found);
    }
    match format {
        Format::Json => print(show::changed(&issue).as_bytes())?,
        Format::Text => tell(format_args!("{} is free", issue.id)),
    }
    Ok(Outcome::Fine)
}
