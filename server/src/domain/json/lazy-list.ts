// A list whose items are made when they are written, one by one: a provider's list in the client's format.

export class LazyList<Item = unknown> implements Iterable<Item> {
  readonly length: number
  readonly #make: (index: number) => Item

  constructor(length: number, make: (index: number) => Item) {
    this.length = length
    this.#make = make
  }

  slice(from: number, to: number): LazyList<Item> {
    return new LazyList(Math.max(0, Math.min(to, this.length) - from), index => this.#make(from + index))
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.#make(index)
  }

  toJSON(): Item[] {
    return [...this]
  }
}

export type JsonList = readonly unknown[] | LazyList

export function isJsonList(value: unknown): value is JsonList {
  return Array.isArray(value) || value instanceof LazyList
}
