// Gives back the memory that only the start needed: compiled sources, migrations, the room in which the young objects of the
// start lay. Left alone, the runtime keeps it until something else needs it, which in an idle process is never.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** By then the jobs have made their first round. */
const everyMs = 1_000

/** Once, at a moment when nobody waits for an answer: it stops the process for some tens of milliseconds. */
export function releaseStartMemory(isIdle: () => boolean): void {
  const timer = setInterval(() => {
    if (!isIdle()) return
    clearInterval(timer)
    // The runtime has this function under no other name.
    setFlagsFromString('--expose-gc')
    const collect: Collect = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, everyMs).unref()
}
