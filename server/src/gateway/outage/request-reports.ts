// Reports to the store the requests that this replica admitted without it, so that the windows open there count them.
// Retries a report until the store has accepted it; the store counts it once.
import type { Log } from '../../domain/log.ts'
import { requestsKey } from '../../kv/process/admissions.ts'
import type { OpenWindow } from '../../kv/request-windows.ts'
import { type Admissions, StoreUnavailable } from '../../kv/store.ts'

export interface RequestReports {
  /** Counts one more request in this window. */
  add(projectId: string, userId: string | null, endsAt: number): void
  /** Call this when the store is available again. */
  sendNow(): void
  /** Sends once more what the store has not accepted yet. */
  stop(): Promise<void>
}

interface RequestReportsDependencies {
  kv: Pick<Admissions, 'addRequests'>
  now: () => number
  randomId: () => string
  log: Log
}

interface Counted {
  projectId: string
  userId: string | null
  count: number
  endsAt: number
}

const tryEveryMs = 250
const maxWindows = 100_000
const maxAtOnce = 200

export function createRequestReports({ kv, now, randomId, log }: RequestReportsDependencies): RequestReports {
  const counted = new Map<string, Counted>()
  /** Keeps its id until the store has accepted it: after a failure it is unknown whether the store counted it. */
  let report: { id: string; windows: Counted[] } | null = null
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null

  function add(projectId: string, userId: string | null, endsAt: number): void {
    const key = requestsKey(projectId, userId)
    const known = counted.get(key)
    if (known?.endsAt === endsAt) known.count += 1
    else if (known !== undefined || counted.size < maxWindows) {
      counted.set(key, { projectId, userId, count: 1, endsAt })
    }
    timer ??= setInterval(() => void send(), tryEveryMs).unref()
  }

  function takeReport(): { id: string; windows: Counted[] } | null {
    const keys = [...counted.keys()].slice(0, maxAtOnce)
    if (keys.length === 0) return null
    const windows = keys.map(key => counted.get(key)).filter(window => window !== undefined)
    for (const key of keys) counted.delete(key)
    return { id: randomId(), windows }
  }

  async function sendAll(): Promise<void> {
    for (report ??= takeReport(); report !== null; report = takeReport()) {
      const at = now()
      const open = report.windows.filter(({ endsAt }) => endsAt > at)
      const windows = open.map(({ endsAt, ...window }): OpenWindow => ({ ...window, endsInMs: Math.ceil(endsAt - at) }))
      if (windows.length > 0) await kv.addRequests(report.id, windows)
    }
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  function send(): Promise<void> {
    sending ??= sendAll()
      .catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) log.error('requests could not be reported to the store', { error })
      })
      .finally(() => {
        sending = null
      })
    return sending
  }

  return {
    add,
    sendNow: () => void send(),
    async stop() {
      if (timer !== null) clearInterval(timer)
      await send()
    },
  }
}
