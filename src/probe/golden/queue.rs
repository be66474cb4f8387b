//! A bounded queue.

use std::collections::VecDeque;
use std::{fmt, io::Read};

/// The most items.
pub const CAPACITY: usize = 64;

#[derive(Debug, Clone)]
pub struct Queue<T> {
    items: VecDeque<T>,
}

pub enum Full {
    Yes,
}

pub trait Drain {
    fn drain(&mut self);
}

impl<T: Clone> Queue<T> {
    #[must_use]
    pub fn new() -> Self {
        Self { items: VecDeque::new() }
    }

    fn push(&mut self, item: T) -> Result<(), Full> {
        Ok(())
    }
}

macro_rules! queue {
    ($($item:expr),*) => {};
}

fn read(from: &mut dyn Read) {}
