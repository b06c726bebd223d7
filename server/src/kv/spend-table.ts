// Tokens of the days and the open reservations in the process. Knows nothing of limits. Twin of scripts/spend.lua.
import { type DayCount, dayMs, leaseMs } from './verdict.ts'

/** Open reservations of the past days may still be settled. */
const keptDays = 2

interface Day extends DayCount {
  users: Map<string, DayCount>
}

export interface Reservation {
  day: number
  reserved: number
  checkpoint: number
  userId: string
  leaseEndsAt: number
}

export type SpendTable = ReturnType<typeof createSpendTable>

export function createSpendTable() {
  const days = new Map<number, Map<string, Day>>()
  const reservations = new Map<string, Map<string, Reservation>>()
  const dayFor = (projectId: string, number: number): Day => {
    const projects = getOrInsert(days, number, () => new Map<string, Day>())
    return getOrInsert(projects, projectId, () => ({ spent: 0, reserved: 0, users: new Map() }))
  }
  const addToDay = (projectId: string, number: number, userId: string, spent: number, reserved: number): void => {
    const day = dayFor(projectId, number)
    const user = getOrInsert(day.users, userId, () => ({ spent: 0, reserved: 0 }))
    for (const count of [day, user]) {
      count.spent += spent
      count.reserved = Math.max(0, count.reserved + reserved)
    }
  }
  return {
    addToDay,
    readDay: (projectId: string, number: number, userId: string): { project: DayCount; user: DayCount } => {
      const day = days.get(number)?.get(projectId)
      return { project: countOf(day), user: countOf(day?.users.get(userId)) }
    },
    raiseDay: (projectId: string, number: number, tokens: number, users: Record<string, number>): void => {
      const day = dayFor(projectId, number)
      day.spent = Math.max(day.spent, tokens)
      for (const [userId, spent] of Object.entries(users)) {
        const user = getOrInsert(day.users, userId, () => ({ spent: 0, reserved: 0 }))
        user.spent = Math.max(user.spent, spent)
      }
    },
    findReservation: (projectId: string, requestId: string): Reservation | undefined =>
      reservations.get(projectId)?.get(requestId),
    writeReservation: (projectId: string, requestId: string, held: Omit<Reservation, 'leaseEndsAt'>, now: number) => {
      const ofProject = getOrInsert(reservations, projectId, () => new Map<string, Reservation>())
      ofProject.set(requestId, { ...held, leaseEndsAt: now + leaseMs })
    },
    findExpired: (projectId: string, now: number): string[] => {
      const open = [...(reservations.get(projectId) ?? [])]
      return open.filter(([, held]) => held.leaseEndsAt <= now).map(([requestId]) => requestId)
    },
    /** Without tokens the last checkpoint is charged. */
    settleReservation: (projectId: string, requestId: string, tokens: number | null): boolean => {
      const ofProject = reservations.get(projectId)
      const held = ofProject?.get(requestId)
      if (!ofProject || !held) return false
      // A project without any keeps its map until the sweep: it is about to be used again.
      ofProject.delete(requestId)
      addToDay(projectId, held.day, held.userId, tokens ?? held.checkpoint, -held.reserved)
      return true
    },
    sweep: (now: number): void => {
      const today = Math.floor(now / dayMs)
      for (const number of days.keys()) if (number < today - keptDays) days.delete(number)
      for (const [projectId, ofProject] of reservations) if (ofProject.size === 0) reservations.delete(projectId)
    },
    countDays: (): number => days.size,
  }
}

function countOf(count: DayCount | undefined): DayCount {
  return { spent: count?.spent ?? 0, reserved: count?.reserved ?? 0 }
}

function getOrInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
