//! A loop from its beginning to its end, with everything that can be answered on the way.

use super::Provoked;
use crate::loops;
use crate::server::Server;

impl Provoked {
    /// Leads a loop through its life.
    pub(super) fn loops(&mut self) {
        let server = Server::start();
        let asked = "POST /v1/loops/{session}/control";
        let pause = r#"{"command":"pause","request_id":"a"}"#;
        self.expect(&server, asked, pause.as_bytes(), 404);
        loops::begin(&server, "s1");
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
