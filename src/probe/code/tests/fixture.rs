#![allow(dead_code)]
//! Inner documentation.

use std::fmt; //= import std::fmt
pub(crate) use std::{ //= import std::{collections::HashMap as Map,io::{self,Read},} +3
    collections::HashMap as Map, // a comment
    io::{self, Read},
};
use super::*; //= import super::*
extern crate core as kern; //= import core as kern

/// Documentation is a comment and never counts.
#[cfg(any())] //= constant LIMIT +3
// between
#[deprecated]
pub const LIMIT: usize = { const INNER: usize = 1; INNER };
const _: () = (); //= constant _
pub static mut COUNT: u32 = 0; //= constant COUNT

#[derive(Debug)] //= type Point +4
pub struct Point<T> {
    x: T,
    y: T,
} // behind

struct Unit; //= type Unit
enum Shape { Round, Square { side: u32 } } //= type Shape
union Bits { a: u32, b: f32 } //= type Bits
type Pair<'a, T> = (&'a T, T); //= type Pair

pub trait Draw { //= type Draw +4
    const SIDES: u32;
    fn draw(&self);
    fn twice(&self) { self.draw() }
}

macro_rules! square { //= function square +2
    ($x:expr) => { $x * $x };
}

impl<'a, T: Copy> Point<&'a mut T> {
    const ORIGIN: u32 = 0;
    #[inline] //= method Point<&'a mut T>.new +5
    /// Documentation.
    pub const fn new(x: T, y: T) -> Self {
        fn local() {}
        Self { x, y }
    }
    pub(super) async unsafe fn größe(&self) {} //= method Point<&'a mut T>.größe
    square!(1);
}

impl fmt::Display for dyn Draw + Send { //
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) } //= method dyn Draw+Send.fmt
}

extern "C" fn callback() {} //= function callback
unsafe extern "C" {
    static ENVIRON: *const u8; //= constant ENVIRON
    fn exit(code: i32) -> !; //= function exit
}

mod inner {
    pub fn hidden() {}
}

square!(2);
thread_local! { static LOCAL: u32 = 1; }

#[test] //= function works +3
fn works() {
    assert_eq!(1, 1);
}
