// Counts what happens in each project for the people who watch it: requests, errors by reason, latencies, tokens.
// Gathers in memory and writes to the store once a second, so that a request costs a few additions.

import type { AdmittedCall } from '../call/admitted-call.ts'
import type { Log } from '../domain/log.ts'
import { latencyRangeOf, latencyRanges, reasonOfStatus, writeActivity } from '../domain/reports/activity.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import { findRefusal } from '../http/reply.ts'
import type { Activity } from '../kv/activity.ts'
import { StoreUnavailable } from '../kv/store.ts'

export interface ActivityNotes {
  /** A request of the project has ended. `call` is null if it was not admitted. */
  note(projectId: string, response: PlaneResponse, call: AdmittedCall | null, durationMs: number): void
  stop(): Promise<void>
}

interface ActivityDependencies {
  kv: Pick<Activity, 'addActivity'>
  log: Log
}

const writeEveryMs = 1_000
/** While the store is slow; further projects are not counted. */
const maxProjects = 10_000

export function createActivityNotes({ kv, log }: ActivityDependencies): ActivityNotes {
  let tallies = new Map<string, Tally>()
  let writing: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function write(): Promise<void> {
    const written = tallies
    tallies = new Map()
    if (written.size === 0) return
    try {
      await kv.addActivity([...written].map(([projectId, tally]) => ({ projectId, counts: writeActivity(tally) })))
    } catch (error) {
      // Without the store nobody can read it either.
      if (!(error instanceof StoreUnavailable)) log.error('activity could not be counted', { error })
    }
  }

  function writeLater(): void {
    timer = setTimeout(() => {
      writing = write().finally(() => {
        writing = null
        timer = null
        if (tallies.size > 0) writeLater()
      })
    }, writeEveryMs).unref()
  }

  return {
    note(projectId, response, call, durationMs) {
      let tally = tallies.get(projectId)
      if (tally === undefined) {
        if (tallies.size >= maxProjects) return
        tally = new Tally()
        tallies.set(projectId, tally)
        if (timer === null) writeLater()
      }
      tally.add(response, call, durationMs)
    },
    async stop() {
      if (timer !== null) clearTimeout(timer)
      await writing
      if (timer !== null) clearTimeout(timer)
      await write()
    },
  }
}

class Tally {
  requests = 0
  tokens = 0
  readonly latencies = new Uint32Array(latencyRanges)
  readonly reasons = new Map<string, number>()

  add(response: PlaneResponse, call: AdmittedCall | null, durationMs: number): void {
    this.requests += 1
    if (call !== null) this.tokens += call.spentTokens
    const reason = findRefusal(response) ?? call?.failure ?? findStatusReason(response)
    if (reason !== null) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1)
    else if (call !== null && call.estimated !== null && call.ending === null) {
      const range = latencyRangeOf(durationMs)
      this.latencies[range] = (this.latencies[range] ?? 0) + 1
    }
  }
}

function findStatusReason({ statusCode }: PlaneResponse): string | null {
  return statusCode < 400 ? null : reasonOfStatus(statusCode)
}
