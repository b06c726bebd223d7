// A set for members that are added and removed thousands of times a second. A Set will not do: when it grows, the table
// it leaves behind still refers to removed members and keeps them alive through the collections of young objects.

/** A member's place in the set; pass it to `remove`. */
export interface Slot<T> {
  member: T | null
  at: number
}

export interface LiveSet<T> {
  readonly size: number
  add(member: T): Slot<T>
  /** A second call for the same slot is a no-op. */
  remove(seat: Slot<T>): void
  /** A snapshot, in no particular order. */
  members(): T[]
}

export function createLiveSet<T>(): LiveSet<T> {
  const seats: Slot<T>[] = []
  return {
    get size() {
      return seats.length
    },
    add(member) {
      const seat: Slot<T> = { member, at: seats.length }
      seats.push(seat)
      return seat
    },
    remove(seat) {
      if (seat.member === null) return
      seat.member = null
      const last = seats.pop()
      if (last === undefined || last === seat) return
      seats[seat.at] = last
      last.at = seat.at
    },
    members: () => seats.map(seat => seat.member).filter(member => member !== null),
  }
}
