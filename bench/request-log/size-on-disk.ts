// Measures what rows of the request log, and their content, take on the disk.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql as text } from 'kysely'
import type { KeptContent } from '../../server/src/domain/requests/kept-content.ts'
import { createLog } from '../../server/src/log/log.ts'
import type { Database } from '../../server/src/storage/open-database.ts'
import { createRequestContent } from '../../server/src/storage/request-log/request-content.ts'
import { startIdOf } from '../../server/src/storage/request-log/request-days.ts'
import { contentDays, type DayKind, rowDays } from '../../server/src/storage/request-log/request-tables.ts'
import { createChance, idOf, type Plan } from './rows.ts'

export const sizeOfRows = (database: Database, dataDir: string) => sizeOf(database, dataDir, rowDays)

async function sizeOf({ sql, dialect }: Database, dataDir: string, kind: DayKind): Promise<number> {
  if (dialect === 'postgres') return await sizeOfPartitions(sql as unknown as Kysely<unknown>, kind.tables)
  const folder = join(dataDir, 'requests')
  const names = readdirSync(folder).filter(name => name.startsWith('content-') === (kind === contentDays))
  return names.reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0)
}

async function sizeOfPartitions(sql: Kysely<unknown>, tables: readonly string[]): Promise<number> {
  let bytes = 0
  for (const table of tables) {
    const { rows } = await text<{ bytes: number | null }>`select sum(pg_total_relation_size(inhrelid)) as bytes
      from pg_inherits where inhparent = to_regclass(${table})`.execute(sql)
    bytes += Number(rows[0]?.bytes ?? 0)
  }
  return bytes
}

const rowsAtOnce = 500
const words = 'the a of to and in for is on with model answer request token limit price user small large'.split(' ')

/** Writes the content of `count` requests as the product does, and returns what one of them takes. */
export async function measureContent(
  database: Database,
  dataDir: string,
  { start, projectIds }: Plan,
  count: number,
): Promise<number> {
  const content = createRequestContent({
    contentDays: database.contentDays,
    keys: [new Uint8Array(32).fill(7)],
    metrics: { requestRows: failDropped },
    log: createLog({ level: 'warn' }),
  })
  const chance = createChance(1)
  for (let number = 0; number < count; number++) {
    const requestId = idOf(startIdOf(start + number), number)
    content.add({ projectId: projectIds[number % projectIds.length]!, requestId }, 'user-1', makeContent(chance))
    if (number % rowsAtOnce === 0) await content.flush()
  }
  await content.stop()
  return (await sizeOf(database, dataDir, contentDays)) / count
}

function failDropped(): never {
  throw new Error('content was dropped')
}

/** A conversation of 3 KB: a system prompt, four messages and an answer. */
function makeContent(chance: () => number): KeptContent {
  const say = (role: string, length: number) => ({ role, content: [{ type: 'text', text: makeText(chance, length) }] })
  const messages = [say('system', 600), say('user', 300), say('assistant', 700), say('user', 400)]
  return { messages, left_out: 0, answer: say('assistant', 1_000) }
}

/** Of common words and of others, as texts are. */
function makeText(chance: () => number, length: number): string {
  let made = ''
  while (made.length < length) {
    const isCommon = chance() < 0.8
    made += isCommon ? words[Math.floor(chance() * words.length)] : Math.floor(chance() * 2e9).toString(36)
    made += ' '
  }
  return made
}
