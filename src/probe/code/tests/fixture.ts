/// <reference types="x" />
import def, { type A, type B as C, D } from 'm' //= import def; import A; import C; import D
import type { E, //= import E +1; import F +1
  F } from 'm'
import type G from 'm' //= import G
import type * as H from 'm' //= import H
import I = require('i') //= import I
import J = K.L.M //= import J
import 'side' //= import side
export import N = O.P //= import N

const a: number = 1 //= constant a
let b!: string //= variable b
export const { c, d: [e, ...f] }: X = g satisfies X //= constant c; constant e; constant f
declare const h: number //= constant h
declare let i: string, j: number //= variable i; variable j
declare function k(a: string): void //= function k
export declare function l<T>(a: T): T; //= function l
export declare class Q { //= class Q +3
  m(): void //= method Q.m
  constructor(a: string) //= method Q.constructor
}
export //= class R +1
declare abstract class R {}

function overloaded(a: string): void //= function overloaded
function overloaded(a: number): void; //= function overloaded
function overloaded(a: any) { //= function overloaded +2

}
const generic = <T,>(a: T) => a //= constant generic

interface S { //= type S +5
  field: string
  method(): void
  new (a: string): S
  <T>(a: T): T
}
export interface T<in out U, out V = never> extends S { //= type T +1
}
type W = { a: string } | null //= type W
export type X<in Y> = //= type X +2
  | A
  | B
enum Z { A, B = 'b' } //= type Z
const enum AA { A } //= type AA
export declare const enum AB { A } //= type AB
declare enum AC { A } //= type AC

abstract class AD<T> extends AE<T> implements S { //= class AD +31
  private readonly field: string = ''
  static #hidden = () => 1
  declare other: number
  accessor auto = 1
  static accessor #private = 2
  protected override accessor both = 3;
  [key: string]: any

  constructor(private a: string) { //= method AD.constructor +2
    super()
  }
  @Decorated() //= method AD.decorated +2
  // between
  public decorated() {}
  @Input() @Output() notAMethod = 1
  overload(a: string): void //= method AD.overload
  overload(a: number): void; //= method AD.overload
  overload(a: any) {} //= method AD.overload
  abstract abstractMethod(): void //= method AD.abstractMethod
  protected abstract get abstractValue(): string //= method AD.abstractValue
  get value(): string { return '' } //= method AD.value
  set value(v) {} //= method AD.value
  static async *make<T>(): AsyncGenerator<T> {} //= method AD.make
  optional?(): void //= method AD.optional
  #secret<T>(this: AD<T>): asserts this is AE {} //= method AD.#secret
  'quoted'(): void {} //= method AD.'quoted'
  [Symbol.iterator]() {} //= method AD.[Symbol.iterator]
  last() {} //= method AD.last

  // The last comment of the class.
}

@Component({ //= class AF +3
  selector: 'x',
})
export class AF {}
export default abstract class AG { //= class AG +1
}

namespace AH { //
  export const member = 1 //= constant member
  const other = 2 //= constant other
  namespace Deeper {
    export function deep() {} //= function deep
  }
}
export namespace AI.AJ {
  export interface Inner {} //= type Inner
}
declare module 'ambient' {
  import x from 'y' //= import x
  export function inAmbient(): void //= function inAmbient
  global {
    interface InGlobal {} //= type InGlobal
  }
}
declare module "untyped"
declare global {
  var globalName: string //= variable globalName
}
using resource = open() //= constant resource
export = AH
export as namespace AK
export type { A, C }
export { type D } from 'm'
const dual: { //= constant dual +4
  <A>(a: A): (b: A) => Chunk<A>
  /** A signature behind a type. */
  <A>(a: A, b: A): Chunk<A>
} = impl
let imported: import("./m").Generic<string> //= variable imported
interface Flags { //= type Flags +2
  abstract: boolean
}
type Escaped = `a \`b\`` //= type Escaped
