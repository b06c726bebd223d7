// A set for members that are added and removed thousands of times a second. A Set is unsuitable: when it grows,
// its old table still refers to removed members and keeps them alive through minor garbage collections.

/** A member's place in the set; pass it to `remove`. */
export interface Slot<T> {
  member: T | null
  at: number
}

export interface LiveSet<T> {
  readonly size: number
  add(member: T): Slot<T>
  /** A second call for the same slot is a no-op. */
  remove(slot: Slot<T>): void
  /** A snapshot, in no particular order. */
  members(): T[]
}

export function createLiveSet<T>(): LiveSet<T> {
  const slots: Slot<T>[] = []
  return {
    get size() {
      return slots.length
    },
    add(member) {
      const slot: Slot<T> = { member, at: slots.length }
      slots.push(slot)
      return slot
    },
    remove(slot) {
      if (slot.member === null) return
      slot.member = null
      const last = slots.pop()
      if (last === undefined || last === slot) return
      slots[slot.at] = last
      last.at = slot.at
    },
    members: () => slots.map(slot => slot.member).filter(member => member !== null),
  }
}
