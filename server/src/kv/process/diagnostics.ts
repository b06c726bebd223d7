// Diagnostics in process memory: a map for each hour of a project. Twin of scripts/add-diagnostics.lua and
// scripts/find-diagnostics.lua.

import { assertCounts } from '../admission-arithmetic.ts'
import {
  type Diagnostics,
  diagnosticHourMs,
  diagnosticHours,
  maxDetailsOfHour,
  otherDetails,
  sumDiagnostics,
} from '../diagnostics.ts'

type Hour = Map<string, { count: number; lastSeenAt: number }>

/** Any client can cause an entry. Above this limit all entries are dropped. */
const maxProjects = 10_000

export function createProcessDiagnostics(clock: () => number) {
  const projects = new Map<string, Map<number, Hour>>()
  const hourOf = (at: number): number => Math.floor(at / diagnosticHourMs)

  function findOrMakeHour(projectId: string, number: number): Hour {
    if (!projects.has(projectId) && projects.size >= maxProjects) projects.clear()
    const hours = projects.get(projectId) ?? new Map<number, Hour>()
    const hour: Hour = hours.get(number) ?? new Map()
    projects.set(projectId, hours.set(number, hour))
    return hour
  }

  const intentions: Diagnostics = {
    addDiagnostics: async (projectId, counts) => {
      assertCounts(...counts.map(({ count }) => count))
      const now = clock()
      const hour = findOrMakeHour(projectId, hourOf(now))
      for (const { kind, detail, count } of counts) {
        const own = `${kind} ${detail}`
        const name = hour.has(own) || hour.size < maxDetailsOfHour ? own : `${kind} ${otherDetails}`
        hour.set(name, { count: count + (hour.get(name)?.count ?? 0), lastSeenAt: now })
      }
    },
    findDiagnostics: async projectId => {
      const hours = [...(projects.get(projectId)?.values() ?? [])]
      const found = hours.flatMap(hour => [...hour].map(([name, seen]) => ({ name, ...seen })))
      return sumDiagnostics(found, clock())
    },
  }

  return {
    intentions,
    sweep(now: number): void {
      const first = hourOf(now) - diagnosticHours
      for (const [projectId, hours] of projects) {
        for (const number of hours.keys()) if (number < first) hours.delete(number)
        if (hours.size === 0) projects.delete(projectId)
      }
    },
  }
}
