// Suspends a process for as long as a test wants. On a busy machine the signal takes effect late: a server that is not
// yet suspended still answers.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const limitMs = 60_000

/** Returns once all threads of the process are suspended. `SIGCONT` resumes it. */
export async function suspendProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const until = performance.now() + limitMs
  while (!isSuspended(pid)) {
    if (performance.now() > until) throw new Error(`process ${pid} was not suspended within ${limitMs / 1000} s`)
    await sleep(2)
  }
}

function isSuspended(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every(thread => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    // The name of the thread stands in parentheses and may contain some.
    return stat.charAt(stat.lastIndexOf(')') + 2) === 'T'
  })
}
