//! What is granted, to whom, and for how long.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use weft_log::{Network, Store};

use super::tokens::{NewToken, Scope, Secret, Token, TokenError, TokenFile};
use super::{Access, Demand, Rules, Verdict};

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let store = Store::make(&folder.path().join("s"), Network::Force).expect("a store");
    (folder, store)
}

fn add(file: &TokenFile, name: &str, scopes: &[Scope]) -> Result<(Token, Secret), TokenError> {
    file.add(&NewToken { name: Some(name), scopes, expires_us: None }, 7)
}

fn access(demand: Demand, hosts: &[&str], origins: &[&str]) -> (tempfile::TempDir, Access) {
    let (folder, store) = store();
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let rules = Rules { demand, hosts: texts(hosts), origins: texts(origins) };
    let access = Access::new(&store, rules);
    (folder, access)
}

#[test]
fn a_token_is_good_for_its_scopes_until_it_is_revoked() {
    let (_folder, store) = store();
    let (file, access) = (TokenFile::new(&store), Access::local(&store));
    let (reader, secret) = add(&file, "reader", &[Scope::Read]).expect("made");
    let (_, admin) = add(&file, "boss", &[Scope::Admin, Scope::Admin]).expect("made");
    let judge = |token: &str, scope| access.judge(token, scope, 7).expect("the file is read");
    assert_eq!(judge(secret.reveal(), Scope::Read), Verdict::Granted);
    assert_eq!(judge(secret.reveal(), Scope::Write), Verdict::WrongScope);
    assert_eq!(judge(secret.reveal(), Scope::Admin), Verdict::WrongScope);
    for scope in Scope::ALL {
        assert_eq!(judge(admin.reveal(), scope), Verdict::Granted, "{scope:?}");
        assert_eq!(judge("weft_0000", scope), Verdict::Unknown);
    }
    assert_eq!(file.revoke(&reader.id).expect("it is there").name, "reader");
    assert_eq!(judge(secret.reveal(), Scope::Read), Verdict::Unknown);
    assert_eq!(judge(admin.reveal(), Scope::Read), Verdict::Granted);
}

#[test]
fn the_file_holds_no_token_and_only_its_owner_reads_it() {
    let (_folder, store) = store();
    let file = TokenFile::new(&store);
    let (token, secret) = add(&file, "a \"name\"", &[Scope::Write, Scope::Read]).expect("made");
    let path = store.root().join("tokens.json");
    let text = fs::read_to_string(&path).expect("it is there");
    let bare = secret.reveal().strip_prefix("weft_").expect("every token begins so");
    assert!(!text.contains(bare) && !format!("{secret:?}{token:?}").contains(bare));
    assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
    let read = file.read().expect("it was just written");
    assert_eq!(read.list(), [token]);
    assert_eq!(read.list()[0].scopes, [Scope::Read, Scope::Write]);
}

#[test]
fn names_scopes_and_ids_are_checked() {
    let (_folder, store) = store();
    let file = TokenFile::new(&store);
    for name in ["", "a\nb", &"x".repeat(101)] {
        assert!(matches!(add(&file, name, &[Scope::Read]), Err(TokenError::Name)), "{name:?}");
    }
    assert!(matches!(add(&file, "x", &[]), Err(TokenError::NoScope)));
    add(&file, "twice", &[Scope::Read]).expect("made");
    add(&file, "twice", &[Scope::Read]).expect("made");
    assert!(matches!(file.revoke("twice"), Err(TokenError::Several { n: 2, .. })));
    assert!(matches!(file.revoke("nobody"), Err(TokenError::Unknown { .. })));
    let tokens = file.read().expect("read");
    assert_eq!(tokens.list().len(), 2);
    let (second, _) = add(&file, &tokens.list()[0].id, &[Scope::Read]).expect("made");
    let revoked = file.revoke(&second.name).expect("an id goes before a name");
    assert_eq!(revoked.id, tokens.list()[0].id);
    let (unnamed, _) = file
        .add(&NewToken { name: None, scopes: &[Scope::Read], expires_us: None }, 7)
        .expect("made");
    assert_eq!(unnamed.name, unnamed.id);
}

#[test]
fn a_token_is_good_until_its_time_is_over() {
    let (_folder, store) = store();
    let (file, access) = (TokenFile::new(&store), Access::local(&store));
    let new = NewToken { name: None, scopes: &[Scope::Read], expires_us: Some(100) };
    assert!(matches!(file.add(&new, 100), Err(TokenError::Expired)));
    let (_, secret) = file.add(&new, 99).expect("made");
    let judge = |now_us| access.judge(secret.reveal(), Scope::Read, now_us).expect("read");
    assert_eq!([99, 100, 101].map(judge), [Verdict::Granted, Verdict::Expired, Verdict::Expired]);
    let path = store.root().join("tokens.json");
    let text = fs::read_to_string(&path).expect("it is there");
    fs::write(&path, text.replace("\"expires\":100", "\"expires\":\"never\"")).expect("written");
    let judged = access.judge(secret.reveal(), Scope::Read, 99);
    assert!(matches!(judged, Err(TokenError::Damaged { .. })));
}

#[test]
fn a_damaged_file_grants_nothing() {
    let (_folder, store) = store();
    let (file, access) = (TokenFile::new(&store), Access::local(&store));
    let (_, secret) = add(&file, "x", &[Scope::Admin]).expect("made");
    let path = store.root().join("tokens.json");
    let text = fs::read_to_string(&path).expect("it is there");
    for damaged in ["", "{}", &text[..text.len() / 2], &text.replace("admin", "all")] {
        fs::write(&path, damaged).expect("written");
        let judged = access.judge(secret.reveal(), Scope::Read, 7);
        assert!(matches!(judged, Err(TokenError::Damaged { .. })), "{damaged}");
    }
}

#[test]
fn this_machine_and_named_hosts_are_known_and_no_others() {
    let (_folder, local) = access(Demand::Nothing, &["Board.local"], &[]);
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "[::1]", "board.LOCAL"] {
        assert!(local.knows_host(host), "{host}");
    }
    for host in
        ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil", "10.0.0.1", "[::2]"]
    {
        assert!(!local.knows_host(host), "{host}");
    }
    let (_folder, wide) = access(Demand::Token, &[], &[]);
    assert!(wide.knows_host("anything.example"));
    let (_folder, named) = access(Demand::Token, &["one.example"], &[]);
    assert!(named.knows_host("one.example") && !named.knows_host("two.example"));
}

#[test]
fn an_origin_is_known_whole_or_not_at_all() {
    let (_folder, access) = access(Demand::Nothing, &[], &["https://board.example/"]);
    assert!(access.knows_origin("https://BOARD.example"));
    for origin in ["http://board.example", "https://board.example.evil", "null", "", "https://"] {
        assert!(!access.knows_origin(origin), "{origin}");
    }
}
