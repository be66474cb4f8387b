//! Shared by the languages' tests.
