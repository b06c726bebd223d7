// A first-in, first-out queue that reuses its slots, so that adding and removing allocates nothing.

/** A power of two. */
const firstPlaces = 64

export class RingQueue<T extends object> {
  #places: Array<T | undefined> = new Array(firstPlaces).fill(undefined)
  #head = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  get first(): T | undefined {
    return this.#places[this.#head]
  }

  add(one: T): void {
    if (this.#length === this.#places.length) this.#grow()
    this.#places[(this.#head + this.#length) & (this.#places.length - 1)] = one
    this.#length += 1
  }

  /** Removes and returns the first one. */
  take(): T | undefined {
    const one = this.#places[this.#head]
    if (one === undefined) return undefined
    this.#places[this.#head] = undefined
    this.#head = (this.#head + 1) & (this.#places.length - 1)
    this.#length -= 1
    return one
  }

  #grow(): void {
    const { length } = this.#places
    const inTurn = [...this.#places.slice(this.#head), ...this.#places.slice(0, this.#head)]
    this.#places = inTurn.concat(new Array(length).fill(undefined))
    this.#head = 0
  }
}
