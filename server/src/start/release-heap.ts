// Frees the memory that only the start needed: compiled sources, migrations, the young generation's extra
// space. The runtime would keep it until something else needs it, which in an idle process is never.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** By then the jobs have run once. */
const everyMs = 1_000
/** The runtime frees compiled code that several collections in a row have found unused. */
const collections = 8

/** Collects one time a second, while no request is in flight: each stops the process for some tens of milliseconds. */
export function releaseStartMemory(isIdle: () => boolean): void {
  let left = collections
  const timer = setInterval(() => {
    if (!isIdle()) return
    collect()
    left -= 1
    if (left === 0) clearInterval(timer)
  }, everyMs).unref()
}

function collect(): void {
  // The runtime exposes this function in no other way.
  setFlagsFromString('--expose-gc')
  const collectGarbage: Collect = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
