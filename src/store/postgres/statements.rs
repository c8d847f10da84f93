//! Every statement, in this database's SQL.

use crate::store::script::statements;

statements! { super::row::DIALECT }
