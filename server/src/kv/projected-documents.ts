// Projected documents of one source by key, bounded in number and size: the one that was read longest ago is dropped
// first.
import { type DocumentSource, type Projected, ProjectedDocument } from './projected-document.ts'

interface DocumentBounds<Value> {
  maxDocuments: number
  maxBytes?: number
  sizeOf?(value: Value): number
}

export class ProjectedDocuments<Ref, Value extends Projected> {
  readonly #source: DocumentSource<Ref, Value>
  readonly #bounds: DocumentBounds<Value>
  /** In the order of their reads. */
  readonly #documents = new Map<string, ProjectedDocument<Ref, Value>>()
  #bytes = 0

  constructor(source: DocumentSource<Ref, Value>, bounds: DocumentBounds<Value>) {
    this.#source = source
    this.#bounds = bounds
  }

  /** The document while it is current, else null. */
  readonly find = (key: string): Value | null => this.#documents.get(key)?.find() ?? null

  /** The last known document, however old. */
  readonly peek = (key: string): Value | null => this.#documents.get(key)?.known ?? null

  get(key: string, ref: Ref): Promise<Value | null> {
    return this.#use(key, ref, document => document.get())
  }

  getWithin(key: string, ref: Ref, maxAgeMs: number): Promise<Value | null> {
    return this.#use(key, ref, document => document.getWithin(maxAgeMs))
  }

  /** Joins a read in progress. */
  read(key: string, ref: Ref): Promise<Value | null> {
    return this.#use(key, ref, document => document.read())
  }

  supersede(key: string, revision: number): void {
    this.#documents.get(key)?.supersede(revision)
  }

  /** Call this when the document was deleted. */
  forget(key: string): void {
    this.#drop(key)
  }

  /** Call this when any of the documents may have changed. */
  supersedeAll(): void {
    for (const document of this.#documents.values()) document.supersede()
  }

  async #use(
    key: string,
    ref: Ref,
    ask: (document: ProjectedDocument<Ref, Value>) => Promise<Value | null>,
  ): Promise<Value | null> {
    const known = this.#documents.get(key)
    const document = known ?? new ProjectedDocument(this.#source, ref)
    if (known === undefined) this.#documents.set(key, document)
    try {
      return await ask(document)
    } finally {
      this.#keep(key, document)
    }
  }

  #keep(key: string, document: ProjectedDocument<Ref, Value>): void {
    // It may have been dropped before its read began, and replaced by another one.
    if (this.#documents.get(key) !== document) return
    this.#drop(key)
    const { known } = document
    if (known === null && !document.isReading) return
    document.bytes = known === null ? 0 : (this.#bounds.sizeOf?.(known) ?? 0)
    this.#bytes += document.bytes
    this.#documents.set(key, document)
    this.#dropOldest()
  }

  #drop(key: string): void {
    this.#bytes -= this.#documents.get(key)?.bytes ?? 0
    this.#documents.delete(key)
  }

  /** Drops a tenth at once: the runtime finds the oldest entry of a Map more slowly after each deletion. */
  #dropOldest(): void {
    const { maxDocuments, maxBytes = Number.POSITIVE_INFINITY } = this.#bounds
    const isOver = (share: number): boolean =>
      this.#documents.size > maxDocuments * share || this.#bytes > maxBytes * share
    const isFull = isOver(1)
    for (const [key, document] of this.#documents) {
      const mustGo = document.isExpired || (isFull && isOver(0.9))
      if (!mustGo || this.#documents.size === 1) return
      if (!document.isReading) this.#drop(key)
    }
  }
}
