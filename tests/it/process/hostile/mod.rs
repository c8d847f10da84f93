//! Programs that tamper with their directory: nothing outside of it is read, changed or deleted, and the worker goes on.

mod fuzz;
mod mounts;
mod naive;
mod named;
mod programs;
mod users;
mod victim;
