// Measures what a request of growing size costs the product, and holds it against the bounds.

import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processorSlowness } from '../../support/slowness.ts'

interface Cost {
  cpuMs: number
  holdMs: number
  heldBytes: number
}

export interface Sent {
  /** The request's body, or the provider's answer. */
  text: string
  status: number
}

export interface Shape {
  name: string
  /** The most parts whose text is not longer than the limit. */
  parts: number
  send(parts: number): Promise<Sent>
}

const growth = 4
/** The processor's caches hold a quarter of the parts, but not all of them: quadratic work takes four times as long. */
const maxRatio = 1.5
const maxHoldMs = 50
/** What the runtime's own work adds: below it, a ratio says nothing. */
const noiseMs = 50
const attempts = 6
const shownHolds = 5

const probeFile = join(tmpdir(), `sallyport-growth-${process.pid}`)
/** For the stage: the probe, and limits that no request reaches. */
export const probed = {
  env: { GROWTH_PROBE: probeFile, NODE_OPTIONS: `--import=${new URL('probe.ts', import.meta.url).href}` },
  settings: { system_prompt: 'Be brief.', tokens_per_day: 1_000_000_000 },
}

async function ask(path: string): Promise<Cost> {
  if (!existsSync(probeFile)) throw new Error('the product has not loaded the probe')
  const answer = await fetch(`http://127.0.0.1:${readFileSync(probeFile, 'utf8')}${path}`)
  return (await answer.json()) as Cost
}

async function costOf(work: () => Promise<Sent>): Promise<Cost & Sent> {
  await ask('/begin')
  const sent = await work()
  const cost = await ask('/end')
  const slowness = cost.holdMs > maxHoldMs ? processorSlowness() : 1
  return { ...cost, holdMs: cost.holdMs / slowness, ...sent }
}

export class Measurements {
  readonly faults: string[] = []
  #count = 0
  readonly #statuses = new Map<number, number>()
  readonly #holds: { name: string; holdMs: number }[] = []

  /**
   * Measures with all parts, and four times with a quarter of them, which needs as much memory; again if a bound is
   * missed, since the machine may be busy.
   */
  async add({ name, parts, send }: Shape): Promise<void> {
    this.#count++
    const [many, few] = [new Best(), new Best()]
    for (let attempt = 0; attempt < attempts; attempt++) {
      many.note(await costOf(() => send(parts)))
      if (many.cpuMs > maxRatio * noiseMs) few.note(await costOf(() => sendQuarters(parts, send)))
      if (problemOf(many, few) === '') break
    }
    const problem = problemOf(many, few)
    if (problem !== '') this.faults.push(`${name}: ${problem}`)
    this.#holds.push({ name, holdMs: many.holdMs })
    this.#statuses.set(many.status, (this.#statuses.get(many.status) ?? 0) + 1)
  }

  report(title: string): void {
    const longest = this.#holds.sort((one, other) => other.holdMs - one.holdMs).slice(0, shownHolds)
    const held = longest.map(({ name, holdMs }) => `\n  ${Math.round(holdMs)} ms: ${name}`)
    const statuses = [...this.#statuses].map(([status, count]) => `${count} × ${status}`)
    const told = `${this.#count} shapes; ${statuses.join(', ')}; the longest holds:${held.join('')}`
    process.stderr.write(`${title}: ${told}\n`)
  }
}

async function sendQuarters(parts: number, send: Shape['send']): Promise<Sent> {
  const quarter = Math.floor(parts / growth)
  for (let sent = 1; sent < growth; sent++) await send(quarter)
  return await send(quarter)
}

/** The least of several measurements: others can only add to them. */
class Best {
  cpuMs = Number.POSITIVE_INFINITY
  holdMs = Number.POSITIVE_INFINITY
  heldBytes = Number.POSITIVE_INFINITY
  text = ''
  status = 0

  note({ cpuMs, holdMs, heldBytes, text, status }: Cost & Sent): void {
    this.cpuMs = Math.min(this.cpuMs, cpuMs)
    this.holdMs = Math.min(this.holdMs, holdMs)
    this.heldBytes = Math.min(this.heldBytes, heldBytes)
    this.text = text
    this.status = status
  }
}

function problemOf(many: Best, few: Best): string {
  const problems: string[] = []
  const ms = (value: number) => `${Math.round(value)} ms`
  if (many.cpuMs > maxRatio * Math.max(noiseMs, Math.min(few.cpuMs, many.cpuMs))) {
    problems.push(`${ms(many.cpuMs)} of processor time, in quarters ${ms(few.cpuMs)}`)
  }
  if (many.holdMs > maxHoldMs) problems.push(`${ms(many.holdMs)} in one piece`)
  if (many.heldBytes > growth * many.text.length + 1_048_576) {
    problems.push(`${Math.round(many.heldBytes / 1e6)} MB stay of ${Math.round(many.text.length / 1e6)}`)
  }
  return problems.join('; ')
}
