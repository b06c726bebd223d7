// Documents of the database as this process last read them: from the key-value store, else from the database, else as last
// known. One read of a document at a time; a change supersedes what is known and a read that is under way. Knows no document:
// its source says where it is read and what it is parsed to.
import { StoreUnavailable } from './store.ts'

/** After a read for which neither could be asked; until then the last known document is used. */
export const retryMs = 1_000

export interface Projected {
  /** An older document never replaces a newer one. */
  readonly revision: number
  /** The database must confirm it; used while the database cannot be asked. */
  readonly isDoubtful?: boolean
}

export interface DocumentSource<Ref, Value extends Projected> {
  now: () => number
  /** How long a document is current unless a change supersedes it. */
  lifeMs: number
  /** How long the last known document is used while neither can be asked; without limit by default. */
  lastKnownMs?: number
  /** A superseded document must not be used as the last known one. */
  dropsSuperseded?: boolean
  /** Null if the store has none that can be used: then the database is asked, as when the store is unavailable. */
  fromStore?(ref: Ref, known: Value | null): Promise<Value | null>
  fromDatabase(ref: Ref, known: Value | null): Promise<Value>
  /** Whether by this error the database answers that there is no document; after others the last known one is used. */
  isAnswer?(error: unknown): boolean
  /** What callers that still use the document of something deleted get to see; it is never current. */
  whenGone?(known: Value): Value
  onUnavailable(from: 'store' | 'database', ref: Ref, error: unknown): void
  /** After each document that replaces another one, or none. */
  onChange?(value: Value): void
}

export class ProjectedDocument<Ref, Value extends Projected> {
  readonly #source: DocumentSource<Ref, Value>
  readonly #ref: Ref
  #known: Value | null = null
  /** When the read that found it began. */
  #readAt = Number.NEGATIVE_INFINITY
  /** The same, or when a read last failed. */
  #triedAt = Number.NEGATIVE_INFINITY
  #staleAt = Number.NEGATIVE_INFINITY
  #reading: Promise<Value | null> | null = null
  /** What it counts for in the bounds of its collection. */
  bytes = 0

  constructor(source: DocumentSource<Ref, Value>, ref: Ref) {
    this.#source = source
    this.#ref = ref
  }

  /** The last known document, however old. */
  get known(): Value | null {
    return this.#known
  }

  get isReading(): boolean {
    return this.#reading !== null
  }

  /** Whether there is nothing left that could be used without a read. */
  get isExpired(): boolean {
    return this.#known === null ? !this.isReading : !this.#isUsable(this.#source.now())
  }

  /** The document while it is current, else null. */
  find(): Value | null {
    const staleAt = this.#staleAt
    // The clock is not read for a document that only a change supersedes.
    return staleAt === Number.POSITIVE_INFINITY || this.#source.now() < staleAt ? this.#known : null
  }

  /** Null if neither store nor database can be asked and none is known; so for the two below. */
  async get(): Promise<Value | null> {
    return this.find() ?? (await this.read())
  }

  async getWithin(maxAgeMs: number): Promise<Value | null> {
    // A read under way may have begun before what the caller knows of.
    if (maxAgeMs === 0) await this.#reading?.catch(() => undefined)
    const isYoung = this.#source.now() < Math.min(this.#staleAt, this.#triedAt + maxAgeMs)
    return isYoung ? this.#known : await this.read()
  }

  /** Joins a read that is under way. */
  read(): Promise<Value | null> {
    if (this.#reading !== null) return this.#reading
    const beganAt = this.#source.now()
    const reading: Promise<Value | null> = readSources(this.#source, this.#ref, this.#known).then(
      found => this.#end(found, beganAt, this.#release(reading)),
      (error: unknown) => {
        this.#release(reading)
        if (this.#source.isAnswer?.(error)) this.#noteGone()
        throw error
      },
    )
    this.#reading = reading
    return reading
  }

  /** There is a newer document, of this revision if it is known: the next caller reads it. */
  supersede(revision?: number): void {
    this.#reading = null
    if (revision !== undefined && (this.#known?.revision ?? 0) >= revision) return
    this.#staleAt = Number.NEGATIVE_INFINITY
    if (this.#source.dropsSuperseded && revision !== undefined) this.#known = null
  }

  /** False if the read was superseded. */
  #release(reading: Promise<Value | null>): boolean {
    if (this.#reading !== reading) return false
    this.#reading = null
    return true
  }

  #end(found: Value | null, beganAt: number, isCurrent: boolean): Value | null {
    if (found === null) return this.#useLastKnown(isCurrent)
    const known = this.#known
    if (!isCurrent) {
      const isNewer = known === null || known.revision < found.revision
      if (isNewer && !this.#source.dropsSuperseded) this.#put(found, beganAt)
      return found
    }
    const { lifeMs } = this.#source
    const newest = isOlder(found, known) ? (known ?? found) : found
    this.#put(newest, beganAt)
    this.#triedAt = beganAt
    this.#staleAt = beganAt + (newest.isDoubtful ? Math.min(retryMs, lifeMs) : lifeMs)
    return newest
  }

  #noteGone(): void {
    const known = this.#known
    this.#known = known === null ? null : (this.#source.whenGone?.(known) ?? null)
    this.#staleAt = Number.NEGATIVE_INFINITY
  }

  #put(value: Value, readAt: number): void {
    const isChanged = this.#known !== value
    this.#known = value
    this.#readAt = readAt
    if (isChanged) this.#source.onChange?.(value)
  }

  #useLastKnown(isCurrent: boolean): Value | null {
    const { now, lifeMs, lastKnownMs = Number.POSITIVE_INFINITY } = this.#source
    const time = now()
    if (this.#known === null || !this.#isUsable(time)) return null
    if (isCurrent) {
      this.#triedAt = time
      this.#staleAt = Math.min(time + Math.min(retryMs, lifeMs), this.#readAt + lastKnownMs)
    }
    return this.#known
  }

  #isUsable(time: number): boolean {
    return time - this.#readAt < (this.#source.lastKnownMs ?? Number.POSITIVE_INFINITY)
  }
}

/** Null if neither could be asked. */
async function readSources<Ref, Value extends Projected>(
  source: DocumentSource<Ref, Value>,
  ref: Ref,
  known: Value | null,
): Promise<Value | null> {
  const stored = await readStore(source, ref, known)
  // A store that is behind what is known has missed a change.
  const candidate = stored === null || isOlder(stored, known) ? null : stored
  if (candidate !== null && !candidate.isDoubtful) return candidate
  try {
    const best = candidate ?? known
    const found = await source.fromDatabase(ref, best)
    return isOlder(found, best) ? best : found
  } catch (error) {
    if (source.isAnswer?.(error)) throw error
    source.onUnavailable('database', ref, error)
    return candidate
  }
}

async function readStore<Ref, Value extends Projected>(
  source: DocumentSource<Ref, Value>,
  ref: Ref,
  known: Value | null,
): Promise<Value | null> {
  try {
    return (await source.fromStore?.(ref, known)) ?? null
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    source.onUnavailable('store', ref, error)
    return null
  }
}

function isOlder(found: Projected, known: Projected | null): boolean {
  return known !== null && found.revision < known.revision
}
