// Finds a proof of work without holding up the page: in a worker, or where there is none, or none may start, in short
// turns. Ends at once when its signal aborts.
import { findProof, proofProgram } from './find-proof.ts'

interface Challenge {
  challenge: string
  difficulty: number
}

/** Numbers that are tried before the page gets a turn: a few milliseconds. */
const turnCount = 2_000

export async function solveChallenge(given: Challenge, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted()
  return (await solveInWorker(given, signal)) ?? (await solveInTurns(given, signal))
}

/** Null if no worker can start, for example because the page's Content-Security-Policy forbids it. */
async function solveInWorker({ challenge, difficulty }: Challenge, signal?: AbortSignal): Promise<string | null> {
  if (typeof Worker !== 'function' || typeof Blob !== 'function' || typeof URL.createObjectURL !== 'function')
    return null
  const address = URL.createObjectURL(new Blob([proofProgram(challenge, difficulty)], { type: 'text/javascript' }))
  let worker: Worker | null = null
  const listening = new AbortController()
  try {
    const started = new Worker(address)
    worker = started
    return await new Promise<string | null>((resolve, reject) => {
      started.onmessage = ({ data }) => resolve(typeof data === 'string' ? data : null)
      started.onerror = event => {
        event.preventDefault?.()
        resolve(null)
      }
      signal?.addEventListener('abort', () => reject(signal.reason), { signal: listening.signal })
    })
  } catch (error) {
    if (signal?.aborted) throw error
    return null
  } finally {
    listening.abort()
    worker?.terminate()
    URL.revokeObjectURL(address)
  }
}

async function solveInTurns({ challenge, difficulty }: Challenge, signal?: AbortSignal): Promise<string> {
  for (let first = 0; ; first += turnCount) {
    const proof = findProof(challenge, difficulty, first, turnCount)
    if (proof !== null) return proof
    await new Promise(resolve => setTimeout(resolve))
    signal?.throwIfAborted()
  }
}
