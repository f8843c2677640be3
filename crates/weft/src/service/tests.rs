//! What launchd is given, told on any machine.

use std::path::Path;

use insta::assert_snapshot;

use super::{Before, Host, shown};

#[test]
fn launchd_gets_the_words_of_the_command_whatever_they_hold() {
    let (program, store) = (Path::new("/Applications/Weft & Co/weft"), Path::new("/opt/ana/<log>"));
    assert_snapshot!(Host::Launchd.file(program, store), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>Label</key>
      <string>weft.up</string>
      <key>ProgramArguments</key>
      <array>
        <string>/Applications/Weft &amp; Co/weft</string>
        <string>up</string>
        <string>--store</string>
        <string>/opt/ana/&lt;log&gt;</string>
      </array>
      <key>RunAtLoad</key>
      <true/>
      <key>KeepAlive</key>
      <dict>
        <key>SuccessfulExit</key>
        <false/>
      </dict>
    </dict>
    </plist>
    "#);
}

#[test]
fn launchd_lets_go_of_the_file_that_it_had() {
    let path = Path::new("/opt/ana/Library/LaunchAgents/weft.up.plist");
    let start = |before| shown(&Host::Launchd.start(path, before));
    assert_snapshot!(start(Before::Nothing), @"launchctl load -w /opt/ana/Library/LaunchAgents/weft.up.plist");
    assert_snapshot!(start(Before::Installed), @"
    launchctl unload /opt/ana/Library/LaunchAgents/weft.up.plist
    launchctl load -w /opt/ana/Library/LaunchAgents/weft.up.plist
    ");
    assert_snapshot!(shown(&Host::Launchd.stop(path)), @"launchctl unload -w /opt/ana/Library/LaunchAgents/weft.up.plist");
}
