//! A loop from its beginning to its end, with everything that can be answered on the way.

use super::Provoked;
use crate::loops;
use crate::server::Server;

impl Provoked {
    /// Leads loops through their lives, one of a session and one that none has taken up.
    pub(super) fn loops(&mut self) {
        self.lead("POST /v1/loops/{session}/control", |server| loops::begin(server, "s1"));
        self.lead("POST /v1/loops/control", loops::begin_untaken);
    }

    fn lead(&mut self, asked: &str, begin: impl FnOnce(&Server)) {
        let server = Server::start();
        let pause = r#"{"command":"pause","request_id":"a"}"#;
        self.expect(&server, asked, pause.as_bytes(), 404);
        begin(&server);
        for (body, status) in [
            (pause, 200),
            (pause, 200),
            (r#"{"command":"cancel","request_id":"a"}"#, 409),
            (r#"{"command":"pause"}"#, 409),
            (r#"{"command":"dance"}"#, 400),
            (r#"{"command":"pause","request_id":""}"#, 400),
            (r#"{"colour":"red"}"#, 400),
            (r#"{"command":"resume"}"#, 200),
            (r#"{"command":"escalate"}"#, 200),
            (r#"{"command":"cancel"}"#, 200),
            (r#"{"command":"cancel"}"#, 404),
        ] {
            self.expect(&server, asked, body.as_bytes(), status);
        }
    }
}
