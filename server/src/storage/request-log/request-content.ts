// Keeps the content of requests, sealed. It is written in batches, as rows are, and may be lost where they are not:
// while the database is unavailable, none of it waits.

import { CompiledQuery } from 'kysely'
import { createRowBuffer, type RowWriter } from '../../collections/row-buffer.ts'
import { writeApart } from '../../collections/write-apart.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { KeptContent } from '../../domain/requests/kept-content.ts'
import { isUnavailable } from '../database-errors.ts'
import { dayOf, idsOf, type RequestDays, timeOfId } from './request-days.ts'
import type { RequestTables } from './request-tables.ts'
import { type ContentKey, createContentSeal } from './seal-content.ts'

export interface RequestContent {
  /** Returns at once. */
  add(key: ContentKey, userId: string, content: KeptContent): void
  /** Null if there is none, or if it cannot be decrypted any more. */
  find(key: ContentKey): Promise<KeptContent | null>
  /** Resolves once what was added so far is written, or cannot be written just now. */
  flush(): Promise<void>
  stop(): Promise<void>
}

interface ContentDependencies {
  contentDays: RequestDays
  /** The current encryption key first, then earlier ones. */
  keys: readonly [Uint8Array, ...Uint8Array[]]
  metrics: Pick<Metrics, 'requestRows'>
  log: Log
}

type SealedRow = RequestTables['request_content']

/** Of all that is compressed or waits to be written. */
const maxWaitingBytes = 64 * 1_048_576
/** What a row takes in memory besides its bytes. */
const bytesOfRow = 1_000
const pauseMs = 1_000

export function createRequestContent(dependencies: ContentDependencies): RequestContent {
  const { contentDays, keys, metrics, log } = dependencies
  const seal = createContentSeal(keys)
  const sealing = new Set<Promise<void>>()
  let waitingBytes = 0
  const drop = () => metrics.requestRows('dropped', 1)
  const writer = createContentWriter(dependencies, rows => {
    for (const { sealed } of rows) waitingBytes -= sealed.length + bytesOfRow
  })
  const buffer = createRowBuffer<SealedRow>({ writer, maxWaiting: maxWaitingBytes / bytesOfRow, onDrop: drop })

  async function addText(key: ContentKey, uid: string, text: string): Promise<void> {
    const counted = text.length + bytesOfRow
    if (waitingBytes + counted > maxWaitingBytes) return drop()
    waitingBytes += counted
    try {
      const sealed = await seal.seal(key, text)
      waitingBytes += sealed.length + bytesOfRow
      buffer.add({ project_id: key.projectId, id: key.requestId, uid, sealed })
    } catch (error) {
      drop()
      log.error('content of a request could not be kept', { request_id: key.requestId, error })
    } finally {
      waitingBytes -= counted
    }
  }

  async function flush(): Promise<void> {
    await Promise.all(sealing)
    await buffer.flush()
  }

  return {
    add(key, userId, content) {
      const work = addText(key, userId, JSON.stringify(content)).finally(() => sealing.delete(work))
      sealing.add(work)
    },
    async find(key) {
      const sealed = await findSealed(contentDays, key)
      const text = sealed === null ? null : await seal.open(key, sealed)
      return text === null ? null : (JSON.parse(text) as KeptContent)
    },
    flush,
    async stop() {
      await flush()
      const lost = await buffer.stop()
      if (lost > 0) log.error('content of requests lost at shutdown', { count: lost })
    },
  }
}

/** `onWritten` gets all rows, also those that could not be written. */
function createContentWriter(
  { contentDays, metrics, log }: Omit<ContentDependencies, 'keys'>,
  onWritten: (rows: readonly SealedRow[]) => void,
): RowWriter<SealedRow> {
  let isFailing = false
  /** Days whose storage was created by this process. */
  const created = new Set<string>()

  async function write(batch: readonly SealedRow[]): Promise<void> {
    try {
      for (const [day, rows] of Map.groupBy(batch, ({ id }) => dayOf(timeOfId(id)))) {
        if (!created.has(day)) await contentDays.create(day)
        created.add(day)
        await addRows(contentDays, day, rows)
      }
    } catch (error) {
      // The storage of a day may have been dropped: the next try creates it.
      created.clear()
      throw error
    }
  }

  return {
    async write(batch) {
      let failure: unknown = null
      let rejected = 0
      const left = await writeApart(batch, {
        write,
        isOutage(error) {
          failure = error
          return isUnavailable(error)
        },
        onRejected: () => void rejected++,
      })
      isFailing = left.length > 0
      const count = left.length + rejected
      if (count > 0) {
        metrics.requestRows('dropped', count)
        log.warn('content of requests could not be written', { count, error: failure })
      }
      onWritten(batch)
      return []
    },
    pauseMs: () => (isFailing ? pauseMs : null),
  }
}

/** A statement for each row: they are large. */
async function addRows(days: RequestDays, day: string, rows: readonly SealedRow[]): Promise<void> {
  const values = days.dialect === 'sqlite' ? '?, ?, ?, ?' : '$1, $2, $3, $4'
  const text = `insert into request_content (project_id, id, uid, sealed) values (${values}) on conflict do nothing`
  await days
    .of(day)
    .transaction()
    .execute(async trx => {
      for (const { project_id, id, uid, sealed } of rows) {
        await trx.executeQuery(CompiledQuery.raw(text, [project_id, id, uid, sealed]))
      }
    })
}

async function findSealed(days: RequestDays, { projectId, requestId }: ContentKey): Promise<Uint8Array | null> {
  const day = dayOf(timeOfId(requestId))
  if (!(await days.list()).includes(day)) return null
  const row = await days
    .of(day)
    .selectFrom('request_content')
    .select('sealed')
    .where('project_id', '=', projectId)
    .where('id', '=', requestId)
    .executeTakeFirst()
  return row?.sealed ?? null
}

export async function eraseContentOfUser(
  days: RequestDays,
  day: string,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<void> {
  const [from, to] = idsOf(day)
  await days
    .of(day)
    .deleteFrom('request_content')
    .where('project_id', '=', projectId)
    .where('uid', '=', userId)
    .where('id', '>=', from)
    .where('id', '<', to)
    .execute()
}
