// Members come and go in any order; nobody else's seat is touched by it.
import { expect, it } from 'vitest'
import { createLiveSet, type Slot } from '../../src/collections/live-set.ts'

it('knows who is here, in whatever order they leave', () => {
  const roster = createLiveSet<number>()
  const seats = new Map<number, Slot<number>>()
  const here = new Set<number>()
  for (let step = 0; step < 5_000; step++) {
    const number = (step * 7919) % 64
    const seat = seats.get(number)
    if (seat === undefined) {
      seats.set(number, roster.add(number))
      here.add(number)
    } else {
      roster.remove(seat)
      seats.delete(number)
      here.delete(number)
    }
    expect(roster.size).toBe(here.size)
    if (step % 50 === 0) expect(roster.members().toSorted()).toEqual([...here].toSorted())
  }
})

it('lets a seat go once', () => {
  const roster = createLiveSet<string>()
  const first = roster.add('first')
  roster.add('second')
  roster.remove(first)
  roster.remove(first)
  expect(roster.members()).toEqual(['second'])
})
