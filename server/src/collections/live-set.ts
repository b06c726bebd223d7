// Who is here just now, for members that come and go by the thousand a second. A Set will not do: when it grows anew,
// the table it leaves behind still names who was here, and keeps them alive through the collections of young objects.

/** Where a member sits; given back to let it go. */
export interface Slot<T> {
  member: T | null
  at: number
}

export interface LiveSet<T> {
  readonly size: number
  add(member: T): Slot<T>
  /** Once for each seat; again does nothing. */
  remove(seat: Slot<T>): void
  /** As they are at this moment, in no order. */
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
