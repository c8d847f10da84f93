//! Every statement, as this database says it.

use crate::store::script::statements;

statements! { super::row::DIALECT }
