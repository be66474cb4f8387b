import { a as b } from "m";

export interface Point {
  x: number;
}

export class Store<T> {
  constructor(private items: T[]) {}
  get size() {
    return this.items.length;
  }
}

export const make = () => new Store([]);
export default function () {}
