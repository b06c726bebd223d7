// Counts the calls of the product's functions between two moments, by V8's precise coverage, in a process that was
// started with `--inspect`. Other processes and threads are not counted.
import { once } from 'node:events'

export interface Visits {
  /** From the path below `server/src/` to the number of calls of its functions. Files without a call are absent. */
  files: Map<string, number>
  /** From `path name` to the number of calls. */
  functions: Map<string, number>
  calls: number
}

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
  const files = new Map<string, number>()
  const functions = new Map<string, number>()
  let calls = 0
  for (const { url, functions: covered } of scripts) {
    const [, path] = url.split('/server/src/')
    if (path === undefined) continue
    for (const { functionName, ranges } of covered) {
      const [whole] = ranges
      if (whole === undefined || whole.count === 0) continue
      calls += whole.count
      files.set(path, (files.get(path) ?? 0) + whole.count)
      functions.set(`${path} ${functionName || '-'} at ${whole.startOffset}`, whole.count)
    }
  }
  return { files, functions, calls }
}
