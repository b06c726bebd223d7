// Caches a document in this process: as read from the key-value store, else from the database, else as last known. At
// most one read runs at a time; a change supersedes the cached document and a read in progress. The source defines
// where the document is read and how it is parsed.
import { StoreUnavailable } from './store.ts'

/** Time between reads while neither store nor database can be read; until then the last known document is used. */
export const retryMs = 1_000

export interface Projected {
  /** An older document never replaces a newer one. */
  readonly revision: number
  /** The database must confirm it; used while the database cannot be read. */
  readonly isDoubtful?: boolean
}

export interface DocumentSource<Ref, Value extends Projected> {
  now: () => number
  /** How long a document is current unless a change supersedes it. */
  lifeMs: number
  /** How long the last known document is used while neither store nor database can be read; unlimited by default. */
  lastKnownMs?: number
  /** A superseded document must not be used as the last known one. */
  dropsSuperseded?: boolean
  /** Null if the store has none that can be used: then the database is read, as when the store is unavailable. */
  fromStore?(ref: Ref, known: Value | null): Promise<Value | null>
  fromDatabase(ref: Ref, known: Value | null): Promise<Value>
  /** Whether this error means that there is no such document; after other errors the last known one is used. */
  isAnswer?(error: unknown): boolean
  /** Makes the last known document after a deletion, for callers that still use it; it is never current. */
  afterDeletion?(known: Value): Value
  onUnavailable(from: 'store' | 'database', ref: Ref, error: unknown): void
  /** Runs when a read has found another document than the known one, or the first. */
  onChange?(value: Value): void
}

export class ProjectedDocument<Ref, Value extends Projected> {
  readonly #source: DocumentSource<Ref, Value>
  readonly #ref: Ref
  #known: Value | null = null
  /** When the read began that found the known document. */
  #readAt = Number.NEGATIVE_INFINITY
  /** The same, or when a read last failed. */
  #triedAt = Number.NEGATIVE_INFINITY
  #staleAt = Number.NEGATIVE_INFINITY
  #reading: Promise<Value | null> | null = null
  /** Its size, as its collection counts it. */
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

  /** Null if neither store nor database can be read and none is known; the same for `getWithin` and `read`. */
  async get(): Promise<Value | null> {
    return this.find() ?? (await this.read())
  }

  async getWithin(maxAgeMs: number): Promise<Value | null> {
    // A read in progress may have begun before the change that the caller knows of.
    if (maxAgeMs === 0) await this.#reading?.catch(() => undefined)
    const isYoung = this.#source.now() < Math.min(this.#staleAt, this.#triedAt + maxAgeMs)
    return isYoung ? this.#known : await this.read()
  }

  /** Joins a read in progress. */
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

  /** Call this when there is a newer document, of this revision if it is known: the next caller reads it. */
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
    this.#known = known === null ? null : (this.#source.afterDeletion?.(known) ?? null)
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

/** Null if neither store nor database could be read. */
async function readSources<Ref, Value extends Projected>(
  source: DocumentSource<Ref, Value>,
  ref: Ref,
  known: Value | null,
): Promise<Value | null> {
  const stored = await readStore(source, ref, known)
  // A store with an older document than the known one has missed a change.
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
