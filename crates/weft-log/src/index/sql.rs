//! Free SQL over the index, for people: one statement, and nothing but reading.

use std::ops::ControlFlow;

use rusqlite::ErrorCode;

use super::{Reader, SqlValue, schema};

/// Why a query was not answered.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The query does something else than read.
    #[error("only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN")]
    NotAQuery,
    /// There is more than one statement.
    #[error("one query at a time")]
    SeveralStatements,
    /// SQLite does not accept it, or could not finish it.
    #[error("the query failed")]
    Sqlite(#[source] rusqlite::Error),
}

impl Reader {
    /// Runs one query and hands every row with the names of its columns to `each`, until that says to stop. Returns the names
    /// of the columns.
    pub fn sql(
        &self,
        query: &str,
        mut each: impl FnMut(&[String], &[SqlValue]) -> ControlFlow<()>,
    ) -> Result<Vec<String>, SqlError> {
        // SQLite itself counts ATTACH, BEGIN and some pragmas as reading.
        if !["select", "with", "values", "explain"].contains(&&*first_word(query)) {
            return Err(SqlError::NotAQuery);
        }
        self.show_events().map_err(SqlError::Sqlite)?;
        let mut statement = self.connection.prepare(query).map_err(refused)?;
        if !statement.readonly() && statement.is_explain() == 0 {
            return Err(SqlError::NotAQuery);
        }
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut values = Vec::with_capacity(columns.len());
        let mut rows = statement.query([]).map_err(refused)?;
        while let Some(row) = rows.next().map_err(refused)? {
            values.clear();
            for column in 0..columns.len() {
                values.push(row.get(column).map_err(refused)?);
            }
            if each(&columns, &values).is_break() {
                break;
            }
        }
        Ok(columns)
    }

    /// Makes the view `events` for this connection, if it has none.
    fn show_events(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "query_only", false)?;
        let shown = self.connection.execute_batch(&schema::view());
        self.connection.pragma_update(None, "query_only", true)?;
        shown
    }
}

fn refused(error: rusqlite::Error) -> SqlError {
    match error {
        rusqlite::Error::MultipleStatement => SqlError::SeveralStatements,
        error if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => SqlError::NotAQuery,
        error => SqlError::Sqlite(error),
    }
}

/// Returns the first word of a query in lower case, past blanks and comments.
fn first_word(query: &str) -> String {
    let mut rest = query.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    loop {
        let after = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            break;
        };
        rest = after.trim_start();
    }
    rest.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
}
