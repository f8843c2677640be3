//! Names of receivers, looked up the way the system does it: by its own `getent`.
//!
//! The system looks names up with libraries that it names in a file and loads. A program that is linked without shared libraries, as
//! this one is where that can be done, may load them only where they are those of the very version that it was linked with.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::task::{Context, Poll};
use std::vec;

use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::dns::Name;
use tower::Service;

/// Looks names up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolver;

impl Service<Name> for Resolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        Box::pin(async move {
            // The port is put in by whoever asks.
            let at = |ip| SocketAddr::new(ip, 0);
            Ok(look_up(name.as_str()).await?.into_iter().map(at).collect::<Vec<_>>().into_iter())
        })
    }
}

#[cfg(target_os = "linux")]
async fn look_up(name: &str) -> io::Result<Vec<IpAddr>> {
    use std::process::Stdio;
    let mut getent = tokio::process::Command::new("getent");
    getent.args(["ahosts", "--", name]).stdin(Stdio::null()).kill_on_drop(true);
    match getent.output().await {
        Ok(told) => match addresses(&String::from_utf8_lossy(&told.stdout)) {
            none if none.is_empty() => Err(io::Error::other(format!("nobody is named {name}"))),
            found => Ok(found),
        },
        // Where it is missing there is little else to look names up with than what is in the program.
        Err(error) if error.kind() == io::ErrorKind::NotFound => ask_here(name).await,
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
async fn look_up(name: &str) -> io::Result<Vec<IpAddr>> {
    ask_here(name).await
}

async fn ask_here(name: &str) -> io::Result<Vec<IpAddr>> {
    Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
}

/// Reads what `getent ahosts` says: an address on each line, once for each kind of socket, the best first.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there is no getent"))]
fn addresses(told: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    for line in told.lines() {
        // An address that is good on one link alone has that link behind a `%`, and is of no use here.
        let address = line.split_whitespace().next().and_then(|first| first.parse().ok());
        found.extend(address.filter(|address| !found.contains(address)));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::{IpAddr, Name, Resolver, Service as _, addresses};

    #[test]
    fn an_address_counts_once_and_in_its_place() {
        let told = "2001:db8::1     STREAM far.example\n2001:db8::1     DGRAM\n2001:db8::1     RAW\n\
                    192.0.2.7       STREAM\n192.0.2.7       DGRAM\nfe80::1%eth0    STREAM\n\nno address\n";
        let far = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
        assert_eq!(addresses(told), [IpAddr::V6(far), IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7))]);
        assert!(addresses("").is_empty());
    }

    #[tokio::test]
    async fn this_machine_is_found_and_nobody_is_not() {
        let here: Vec<_> = Resolver.call(name("localhost")).await.unwrap().collect();
        assert!(!here.is_empty() && here.iter().all(|at| at.ip().is_loopback()), "{here:?}");
        let nobody = Resolver.call(name("nobody.invalid")).await.map(Iterator::count);
        assert_eq!(nobody.unwrap_err().to_string(), "nobody is named nobody.invalid");
    }

    fn name(name: &str) -> Name {
        name.parse().unwrap()
    }
}
