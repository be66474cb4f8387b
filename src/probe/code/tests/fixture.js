#!/usr/bin/env node
'use strict';
import def from 'm' //= import def
import * as ns from "m"; //= import ns
import { a, b as c, default as d, "str" as e } from 'm' //= import a; import c; import d; import e
import f, { g, //= import f +2; import g +2; import h +2
  h,
} from 'm' with { type: 'json' }
import i, * as j from 'm' //= import i; import j
import './side\x2deffect.js' //= import ./side-effect.js
import {} from "nothing" //= import nothing

// A comment that leads.
const K = 1, L = () => 2 //= constant K; constant L
let m //= variable m
var n = 1, //= variable n
  o = function () { //= variable o +2
    return 1
  }
const { p, q: r, s: { t, u = 1 }, ['v']: w, ...x } = y //= constant p; constant r; constant t; constant u; constant w; constant x
let [aa, , [bb], cc = dd, ...[ee, ...ff]] = gg //= variable aa; variable bb; variable cc; variable ee; variable ff
var { hh = { ii: 1 }, jj: { kk } = {} } = ll, [mm] = nn //= variable hh; variable kk; variable mm
const oo = async x => { //= constant oo +2
  const local = 1
}
const pp = class Named { method() {} } //= constant pp
x.y = function () {}
module.exports = { z() {} }
if (a) { var hidden = 1 }
for (const hidden of []) {}
{ let hidden }
label: { let hidden }
using qq = open() //= constant qq
await using rr = open() //= constant rr

function ss() { //= function ss +2
  function nested() {}
}
async function tt() {} //= function tt
function* uu() {} //= function uu
async function* vv() {} //= function vv

class WW { } //= class WW
class XX extends (class { hidden() {} }) { //= class XX +28
  field = 1
  static other = () => 2
  #private = function () {}
  constructor() { //= method XX.constructor +2
    super()
  }
  method() {} //= method XX.method
  async asyncMethod() {} //= method XX.asyncMethod
  *generator() {} //= method XX.generator
  async *both() {} //= method XX.both
  get value() { return 1 } //= method XX.value
  set value(v) {} //= method XX.value
  static make() {} //= method XX.make
  static { const hidden = 1 }
  #secret() {} //= method XX.#secret
  'quoted name'() {} //= method XX.'quoted name'
  "double"() {} //= method XX."double"
  42() {} //= method XX.42
  [Symbol.iterator]() {} //= method XX.[Symbol.iterator]
  ['computed']() {} //= method XX.['computed']
  get() {} //= method XX.get
  static static() {} //= method XX.static
  @decorated //= method XX.marked +1
  marked() {}
  last() {} // a trailing comment //= method XX.last

  // The last comment of the class.
} // trailing

export const yy = 1 //= constant yy
export let { zz } = a, ab = 1 //= variable zz; variable ab
export function ac() {} //= function ac
export async function* ad() {} //= function ad
export class ae { m() {} } //= class ae; method ae.m
export //= function af +1
function af() {}
export { K, L as M }
export * from 'm'
export * as again from 'm'
export { reexported } from 'm'
export default class { //= class default +2
  m() {} //= method default.m
}
@decorator //= class ag +1
class ag {}
@decorator({ //= class ah +3
  a: 1
})
export class ah {}
const été = 1, $a = 1, _b = 1 //= constant été; constant $a; constant _b
const element = <A b={1}>text {'é'}</A> //= constant element
