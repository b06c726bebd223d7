// Runs the other processes of this machine from the first one: starts them, starts them again when they die, replaces
// them one after the other, and ends them.
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../domain/log.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { socketCount } from '../http/front/listening-sockets.ts'
import { reserveSockets, type SocketHandle } from '../http/front/reserved-sockets.ts'
import type { Link } from '../sockets/link.ts'
import type { Family } from '../telemetry/registry.ts'
import { type Child, type ChildEnd, startChild } from './child.ts'
import { mergeFamilies } from './merge-families.ts'
import type { ProcessPlace, ReadFamilies } from './place.ts'

/** What the others need of the first process's parts. */
export interface SharedParts {
  address: AddressInfo
  serveTo(link: Link): void
  /** Accepts the connections of these sockets in the first process, until the returned function is called. */
  acceptFrom(sockets: readonly SocketHandle[]): Promise<() => void>
  families: ReadFamilies
  /** Writes the usage that this process buffers. */
  writeUsage(): Promise<void>
  readiness(): readonly string[]
  /** Settles what a replica that has ended had reserved of tokens and money; returns how many reservations. */
  settleReservationsOf(replicaId: string): Promise<number>
}

export interface FirstProcessOptions {
  count: number
  mainFile: string
  version: string
  log: Log
  /** Whether the first process also works for the others, because it owns their database and store. */
  isShared: boolean
}

interface Slot {
  readonly number: number
  /** Kept open here, so that connections wait for a successor of the process that dies. */
  sockets: readonly SocketHandle[]
  /** Null while the process is being started again. */
  child: Child | null
  startedAt: number
  /** How often it died in a row soon after its start. */
  deaths: number
}

/** Drained within 30 seconds, a process needs some more to close its parts. */
const maxDrainMs = 33_000
/** A process that lives for this long has not failed at its start. */
const livesMs = 10_000
const maxDelayMs = 30_000
const collectMs = 1_000
const maxWriteMs = 5_000
const readinessEveryMs = 50
/** The store may still read what a process had sent before it died. */
const settleAgainMs = 5_000

export class FirstProcess {
  readonly place: ProcessPlace
  readonly #options: FirstProcessOptions
  readonly #slots: Slot[] = []
  /** Also those that are starting or draining. */
  readonly #running = new Set<Child>()
  #shared: SharedParts | null = null
  #hasStarted = false
  #isStopping = false
  #isReplacing = false
  #restarts = 0
  #endedFamilies: Family[] = []

  constructor(options: FirstProcessOptions) {
    this.#options = options
    this.place = {
      kind: 'first',
      socketCount: ownSockets(options),
      collect: own => this.#collect(own),
      writeUsageOfOthers: () => this.#writeUsageExceptOf(null),
      readiness: () => (this.#hasStarted ? [] : ['other_processes']),
      stopOthers: () => this.#stopOthers(),
    }
  }

  /** Resolves when all processes accept connections, or when they are stopped before. */
  async startOthers(shared: SharedParts): Promise<void> {
    this.#shared = shared
    for (let number = 2; number <= this.#options.count; number += 1) {
      const sockets = reserveSockets(shared.address, socketCount)
      if (sockets === null) {
        this.#options.log.warn('this system cannot share a port between processes, running one process only')
        break
      }
      this.#slots.push({ number, sockets, child: null, startedAt: 0, deaths: 0 })
    }
    await Promise.all(this.#slots.map(slot => this.#startAtFirst(slot)))
    this.#hasStarted = true
  }

  /** A process that a signal ends is started again, as later; one that gives up by itself fails the whole start. */
  async #startAtFirst(slot: Slot): Promise<void> {
    let child = this.#start(slot)
    while (!(await child.ready)) {
      const { signal } = await child.ended
      if (this.#isStopping) return
      if (signal === null) throw new StartupProblem(`Process ${slot.number} could not start; the lines above say why.`)
      this.#logDeath(slot, { signal })
      this.#restarts += 1
      slot.deaths += 1
      await sleep(delayMs(slot), null, { ref: false })
      if (this.#isStopping) return
      child = this.#start(slot)
    }
    if (!this.#isStopping) this.#adopt(slot, child)
  }

  /** Replaces the others, one after the other. */
  async replaceOthers(): Promise<void> {
    if (this.#isReplacing) return
    this.#isReplacing = true
    for (const slot of this.#slots) await this.#replace(slot)
    this.#isReplacing = false
  }

  #start({ number, sockets }: Slot): Child {
    const collect = (): Promise<Family[]> => this.#collect(() => this.#shared?.families() ?? [])
    const writeUsage = async (): Promise<void> => {
      await Promise.all([this.#shared?.writeUsage(), this.#writeUsageExceptOf(child)])
    }
    const child: Child = startChild({ ...this.#options, number, sockets, collect, writeUsage })
    this.#running.add(child)
    this.#shared?.serveTo(child.link)
    void child.ready.then(isReady => isReady && this.#sendReadiness(child))
    void child.ended.then(() => {
      this.#running.delete(child)
      const [before, added] = [this.#endedFamilies, child.lastFamilies]
      this.#endedFamilies = mergeFamilies([before, added].map(families => ({ process: null, families })))
    })
    void child.link.closed.then(() => this.#settleReservations(child))
    return child
  }

  /** Those that it left behind, until the store has settled them. */
  async #settleReservations({ replicaId, hasStarted }: Child): Promise<void> {
    if (!hasStarted) return
    for (let times = 0; times < 2 && !this.#isStopping; await sleep(settleAgainMs, null, { ref: false })) {
      try {
        const count = (await this.#shared?.settleReservationsOf(replicaId)) ?? 0
        if (count > 0) this.#options.log.info('settled the reservations of a process that ended', { count })
        times += 1
      } catch (error) {
        this.#options.log.warn('reservations of a process that ended are not settled yet, retrying', { error })
      }
    }
  }

  /** From now on the process is started again when it dies. */
  #adopt(slot: Slot, child: Child): void {
    slot.child = child
    slot.startedAt = performance.now()
    void child.ended.then(end => {
      if (slot.child !== child || this.#isStopping) return
      slot.child = null
      this.#logDeath(slot, end)
      void this.#restart(slot)
    })
  }

  #logDeath({ number }: Slot, { exitCode, signal }: Partial<ChildEnd>): void {
    this.#options.log.error('a process ended unexpectedly, starting it again', {
      about_process: number,
      signal: signal ?? undefined,
      exit_code: exitCode ?? undefined,
    })
  }

  async #restart(slot: Slot): Promise<void> {
    this.#restarts += 1
    slot.deaths = performance.now() - slot.startedAt > livesMs ? 0 : slot.deaths + 1
    const release = slot.deaths > 1 ? await this.#pause(slot) : null
    if (this.#isStopping) return
    const child = this.#start(slot)
    this.#adopt(slot, child)
    if (release !== null) void child.ready.then(release)
  }

  /** Meanwhile the first process accepts its connections: those that wait in the queues, and new ones. */
  async #pause(slot: Slot): Promise<(() => void) | null> {
    const shared = this.#shared
    if (shared === null) return null
    const release = await shared.acceptFrom(slot.sockets)
    slot.sockets = []
    await sleep(delayMs(slot), null, { ref: false })
    if (!this.#isStopping) slot.sockets = reserveSockets(shared.address, socketCount) ?? []
    return release
  }

  async #replace(slot: Slot): Promise<void> {
    const { log } = this.#options
    const old = slot.child
    // One that is being started again is new already.
    if (old === null || this.#isStopping) return
    const child = this.#start(slot)
    if (!(await child.ready)) {
      log.error('a process could not be replaced, keeping the old one', { about_process: slot.number })
      return
    }
    if (this.#isStopping) return
    this.#adopt(slot, child)
    await drain(old, true)
    log.info('replaced a process', { about_process: slot.number })
  }

  /** Repeats it until the first process is ready. */
  #sendReadiness(child: Child): void {
    const reasons = this.#shared?.readiness() ?? []
    child.link.notify('setReadiness', [reasons])
    if (reasons.length > 0) setTimeout(() => this.#sendReadiness(child), readinessEveryMs).unref()
  }

  async #stopOthers(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#running].map(end))
    for (const { sockets } of this.#slots) for (const handle of sockets) handle.close()
  }

  /** In the other processes. */
  async #writeUsageExceptOf(caller: Child | null): Promise<void> {
    await Promise.all([...this.#running].filter(child => child !== caller).map(writeUsageOf))
  }

  async #collect(own: ReadFamilies): Promise<Family[]> {
    const running = [...this.#running]
    await Promise.all(running.map(readFamilies))
    return [
      ...mergeFamilies([
        { process: 1, families: own() },
        ...running.map(({ number, lastFamilies }) => ({ process: number, families: lastFamilies })),
        { process: null, families: this.#endedFamilies },
      ]),
      single('gauge', 'sallyport_processes', 'Processes of this machine that run.', running.length + 1),
      single(
        'counter',
        'sallyport_process_restarts_total',
        'Processes that died and were started again.',
        this.#restarts,
      ),
    ]
  }
}

/**
 * On the embedded stores each request of another process costs the first one about a twentieth of a request. So it
 * accepts fewer connections itself, the more processes there are; with 32 or more, hardly any.
 */
function ownSockets({ count, isShared }: FirstProcessOptions): number {
  return isShared ? Math.max(1, socketCount - Math.floor((count - 2) / 2)) : socketCount
}

const delayMs = ({ deaths }: Slot): number => Math.min(maxDelayMs, 250 * 2 ** deaths)

/** A process that accepts no connections yet has nothing to drain, and may not listen to its link. */
async function end(child: Child): Promise<void> {
  if (child.hasStarted) return await drain(child, false)
  child.kill()
  await child.ended
}

async function drain(child: Child, isReplaced: boolean): Promise<void> {
  child.drain(isReplaced)
  const timer = setTimeout(child.kill, maxDrainMs)
  await child.ended
  clearTimeout(timer)
}

/** A process that does not respond in time keeps its last figures. */
async function readFamilies(child: Child): Promise<void> {
  const late = sleep(collectMs, null, { ref: false })
  const asked = child.link.call('families', []).catch(() => null)
  const found = (await Promise.race([asked, late])) as Family[] | null
  if (found !== null) child.lastFamilies = found
}

/** Does not wait longer for a process that does not respond. */
async function writeUsageOf({ link }: Child): Promise<void> {
  const late = sleep(maxWriteMs, null, { ref: false })
  await Promise.race([link.call('writeUsage', []).catch(() => null), late])
}

function single(kind: 'counter' | 'gauge', name: string, help: string, value: number): Family {
  return { kind, name, help, points: [{ labels: [], value }] }
}
