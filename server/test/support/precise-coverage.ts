// Counts the calls of the product's functions between two moments, by V8's precise coverage, in a process that was
// started with `--inspect`. Other processes and threads are not counted.
import { once } from 'node:events'

/** From a function, as `path name at offset` with its path below `server/src/`, to the number of its calls. */
export type Visits = ReadonlyMap<string, number>

export interface Coverage {
  /** Resolves to what ran since the previous call, or since the start. */
  take(): Promise<Visits>
  stop(): void
}

interface CoveredScript {
  url: string
  functions: { functionName: string; isBlockCoverage: boolean; ranges: { startOffset: number; count: number }[] }[]
}

/** `stderr` is what the process has printed: it names the address of its inspector. */
export async function startCoverage(stderr: string): Promise<Coverage> {
  const address = /ws:\/\/\S+/.exec(stderr)?.[0]
  if (address === undefined) throw new Error('the process has no inspector: start it with --inspect')
  const socket = new WebSocket(address)
  await once(socket, 'open')
  let id = 0
  const send = async (method: string, params: object = {}): Promise<unknown> => {
    const own = ++id
    socket.send(JSON.stringify({ id: own, method, params }))
    for (;;) {
      const [event] = (await once(socket, 'message')) as [MessageEvent]
      const message = JSON.parse(String(event.data)) as { id?: number; result?: unknown }
      if (message.id === own) return message.result
    }
  }
  await send('Profiler.enable')
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    async take() {
      const { result } = (await send('Profiler.takePreciseCoverage')) as { result: CoveredScript[] }
      return visitsOf(result)
    },
    stop: () => socket.close(),
  }
}

function visitsOf(scripts: readonly CoveredScript[]): Visits {
  const visits = new Map<string, number>()
  for (const { url, functions } of scripts) {
    const [, path] = url.split('/server/src/')
    if (path === undefined) continue
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges
      if (whole === undefined || whole.count === 0) continue
      visits.set(`${path} ${functionName || '-'} at ${whole.startOffset}`, whole.count)
    }
  }
  return visits
}

/** What ran in all of them: without timers and other work that ran during one of them by chance. */
export function commonVisits([first, ...others]: readonly Visits[]): Visits {
  const common = new Map<string, number>()
  for (const [name, count] of first ?? []) {
    const least = Math.min(count, ...others.map(visits => visits.get(name) ?? 0))
    if (least > 0) common.set(name, least)
  }
  return common
}
