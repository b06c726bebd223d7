// The tokens of each day and the open reservations, in this process. Twin of scripts/spend.lua.

import { ShortLivedMap } from '../../collections/short-lived-map.ts'
import { dayMs } from '../../domain/day.ts'
import { type DayCount, leaseMs } from '../admission-arithmetic.ts'

/** How many past days are kept: their open reservations may still be settled. */
const keptDays = 2

class Day implements DayCount {
  readonly number: number
  readonly users = new Map<string, DayCount>()
  spent = 0
  reserved = 0

  constructor(number: number) {
    this.number = number
  }

  userFor(userId: string): DayCount {
    const known = this.users.get(userId)
    if (known !== undefined) return known
    const made = { spent: 0, reserved: 0 }
    this.users.set(userId, made)
    return made
  }
}

export interface Reservation {
  day: number
  reserved: number
  checkpoint: number
  userId: string
  holder: string
  leaseEndsAt: number
}

/** The days and the open reservations of one project. */
export class ProjectSpend {
  readonly days = new Map<number, Day>()
  readonly reservations = new ShortLivedMap<Reservation>()
  /** Cached, because nearly all requests are of one day. */
  #latest: Day | null = null

  findDay(number: number): Day | undefined {
    return this.#latest?.number === number ? this.#latest : this.days.get(number)
  }

  add(number: number, userId: string, spent: number, reserved: number): Day {
    const day = this.dayFor(number)
    addTo(day, spent, reserved)
    addTo(day.userFor(userId), spent, reserved)
    return day
  }

  dayFor(number: number): Day {
    const known = this.findDay(number)
    const day = known ?? new Day(number)
    if (known === undefined) this.days.set(number, day)
    this.#latest = day
    return day
  }

  /** If the request already holds a reservation, returns that one and changes nothing. */
  hold(requestId: string, reservation: Reservation): Reservation | undefined {
    return this.reservations.add(requestId, reservation)
  }

  forgetDaysBefore(number: number): void {
    for (const day of this.days.keys()) if (day < number) this.days.delete(day)
    if (this.#latest !== null && this.#latest.number < number) this.#latest = null
  }
}

function addTo(count: DayCount, spent: number, reserved: number): void {
  count.spent += spent
  count.reserved = Math.max(0, count.reserved + reserved)
}

export type SpendTable = ReturnType<typeof createSpendTable>

export function createSpendTable() {
  const byProject = new Map<string, ProjectSpend>()
  const projectSpendOf = (projectId: string): ProjectSpend => {
    const known = byProject.get(projectId)
    if (known !== undefined) return known
    const made = new ProjectSpend()
    byProject.set(projectId, made)
    return made
  }
  return {
    /** Callers must not keep it: `sweep` deletes one that has become empty. */
    projectSpendOf,
    findProjectSpend: (projectId: string): ProjectSpend | undefined => byProject.get(projectId),
    readDay: (projectId: string, number: number, userId: string): { project: DayCount; user: DayCount } => {
      const day = byProject.get(projectId)?.findDay(number)
      return { project: countOf(day), user: countOf(day?.users.get(userId)) }
    },
    raiseDay: (projectId: string, number: number, tokens: number, users: Record<string, number>): void => {
      const day = projectSpendOf(projectId).dayFor(number)
      day.spent = Math.max(day.spent, tokens)
      for (const [userId, spent] of Object.entries(users)) {
        const user = day.userFor(userId)
        user.spent = Math.max(user.spent, spent)
      }
    },
    forget: (projectId: string): void => {
      byProject.delete(projectId)
    },
    findReservation: (projectId: string, requestId: string): Reservation | undefined =>
      byProject.get(projectId)?.reservations.get(requestId),
    renewReservation: (held: Reservation, checkpoint: number, now: number): void => {
      held.checkpoint = checkpoint
      held.leaseEndsAt = now + leaseMs
    },
    findEnded: (projectId: string, now: number, endedHolder: string | undefined): string[] => {
      const open = [...(byProject.get(projectId)?.reservations ?? [])]
      const ended = open.filter(([, { leaseEndsAt, holder }]) => leaseEndsAt <= now || holder === endedHolder)
      return ended.map(([requestId]) => requestId)
    },
    /** Charges the last checkpoint if `tokens` is null. */
    settleReservation: (projectId: string, requestId: string, tokens: number | null): boolean => {
      const projectSpend = byProject.get(projectId)
      const held = projectSpend?.reservations.delete(requestId)
      if (projectSpend === undefined || held === undefined) return false
      projectSpend.add(held.day, held.userId, tokens ?? held.checkpoint, -held.reserved)
      return true
    },
    sweep: (now: number): void => {
      const today = Math.floor(now / dayMs)
      for (const [projectId, projectSpend] of byProject) {
        projectSpend.forgetDaysBefore(today - keptDays)
        if (projectSpend.days.size === 0 && projectSpend.reservations.size === 0) byProject.delete(projectId)
      }
    },
  }
}

function countOf(count: DayCount | undefined): DayCount {
  return { spent: count?.spent ?? 0, reserved: count?.reserved ?? 0 }
}
