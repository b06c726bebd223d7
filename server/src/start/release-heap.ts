// Frees the memory that only the start needed: compiled sources, migrations, the young generation's extra
// space. The runtime would keep it until something else needs it, which in an idle process is never.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** By then the jobs have run once. */
const everyMs = 1_000

/** Runs once, while no request is in flight: it stops the process for some tens of milliseconds. */
export function releaseStartMemory(isIdle: () => boolean): void {
  const timer = setInterval(() => {
    if (!isIdle()) return
    clearInterval(timer)
    // The runtime exposes this function in no other way.
    setFlagsFromString('--expose-gc')
    const collect: Collect = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, everyMs).unref()
}
