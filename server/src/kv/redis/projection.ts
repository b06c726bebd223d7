// The projection on Redis: documents with a revision, each one hash. Reading a corrupt document throws
// StoreUnavailable: the reader then reads the database, and the worker's sync cycle writes the document again.
import { randomUUID } from 'node:crypto'
import { isJsonObject } from '../../domain/json-object.ts'
import type { Log } from '../../domain/log.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import { assertCounts } from '../admission-arithmetic.ts'
import { forgottenRevision } from '../forgotten-revision.ts'
import {
  type KillSwitches,
  type Projection,
  type ProjectRef,
  type RevisionedText,
  type StoreChange,
  type StoredConfig,
  StoreUnavailable,
  type WriteOutcome,
} from '../store.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

/** Entries in one batch: a large sync then takes few round trips, and does not block the server for all its time. */
const atOnce = 200

/** Longer than any sync takes. */
const fillingMs = 60 * 60 * 1000

/** Names the fields, because callers may pass objects with more. */
const describeRef = ({ projectId, tenantId }: ProjectRef): string => JSON.stringify({ projectId, tenantId })

export function createRedisProjection(
  connection: RedisConnection,
  keys: RedisKeys,
  log: Log,
  clock: () => number | '',
): Omit<Projection, 'subscribe'> {
  const filled: StoreChange = { kind: 'replicas' }
  return {
    ...createWriters(connection, keys, clock),
    ...createReaders(connection, keys, log),
    startFilling: async () => {
      const filling = randomUUID()
      await connection.send('SET', keys.filling(filling), '1', 'PX', String(fillingMs))
      return filling
    },
    markSeeded: async filling => {
      const args = [clock(), keys.changes, JSON.stringify(filled)]
      return numberOf(await connection.run(scripts.markSeeded, [keys.epoch, keys.filling(filling)], args)) === 1
    },
    isSeeded: async () => numberOf(await connection.send('EXISTS', keys.epoch)) === 1,
  }
}

function createWriters(connection: RedisConnection, keys: RedisKeys, clock: () => number | '') {
  const put = async (
    key: string,
    change: StoreChange & { revision: number },
    fields: string[],
  ): Promise<WriteOutcome> => {
    assertCounts(change.revision)
    const args = [change.revision, keys.changes, JSON.stringify(change), ...fields]
    return outcomeOf(await connection.run(scripts.putDocument, [key], args))
  }
  const putConfig = (projectId: string, { revision, status, body }: StoredConfig): Promise<WriteOutcome> =>
    put(keys.config(projectId), { kind: 'config', projectId, revision }, ['status', status, 'body', body])
  return {
    putSlugs: async entries => {
      for (let first = 0; first < entries.length; first += atOnce) {
        const chunk = entries.slice(first, first + atOnce)
        const pairs = chunk.flatMap(entry => [keys.slug(entry.slug), describeRef(entry)])
        await connection.send('MSET', ...pairs)
      }
    },
    putConfig,
    putConfigs: async entries => {
      const outcomes: WriteOutcome[] = []
      for (let first = 0; first < entries.length; first += atOnce) {
        const chunk = entries.slice(first, first + atOnce)
        outcomes.push(...(await Promise.all(chunk.map(({ projectId, ...config }) => putConfig(projectId, config)))))
      }
      return outcomes
    },
    putProviderKeys: (tenantId, { revision, body }) =>
      put(keys.providerKeys(tenantId), { kind: 'provider-keys', tenantId, revision }, ['body', body]),
    putKeySet: (projectId, { revision, body }) =>
      put(keys.keySet(projectId), { kind: 'key-set', projectId, revision }, ['body', body]),
    putRestrictions: (projectId, { revision, body }) =>
      put(keys.restrictions(projectId), { kind: 'restrictions', projectId, revision }, ['body', body]),
    putKillSwitches: (switches, revision) =>
      put(keys.killSwitches, { kind: 'kill-switches', revision }, switchFields(switches)),
    forgetProject: async ({ projectId, slug }) => {
      const ofProject = [keys.config, keys.keySet, keys.restrictions, keys.projectRequests, keys.reservations]
      const names = [keys.slug(slug), ...ofProject.map(nameFor => nameFor(projectId))]
      const change: StoreChange = { kind: 'config', projectId, revision: forgottenRevision }
      const args = [clock(), keys.spend(projectId), keys.changes, JSON.stringify(change)]
      await connection.run(scripts.forgetProject, names, args)
    },
    forgetTenant: async tenantId => {
      const change: StoreChange = { kind: 'provider-keys', tenantId, revision: forgottenRevision }
      const args = [keys.changes, JSON.stringify(change)]
      const names = [keys.providerKeys(tenantId), keys.budgetHolds(tenantId)]
      await connection.run(scripts.forgetTenant, names, args)
    },
  } satisfies Partial<Projection>
}

function createReaders(connection: RedisConnection, keys: RedisKeys, log: Log) {
  const readWhole = <Document>(kind: Kind, read: () => Document): Document => {
    try {
      return read()
    } catch (error) {
      sparseLogOf(log).error('document in the store is corrupt', kind, { reason: kind, error })
      throw new StoreUnavailable('corrupt', error)
    }
  }
  const findText = async (kind: Kind, key: string): Promise<RevisionedText | null> => {
    const reply = await connection.send('HMGET', key, 'revision', 'body')
    return readWhole(kind, () => readText(reply))
  }
  return {
    findSlug: async slug => {
      const reply = await connection.send('GET', keys.slug(slug))
      return reply === null ? null : readWhole('slug', () => readRef(textOf(reply)))
    },
    findConfig: async projectId => {
      const reply = await connection.send('HMGET', keys.config(projectId), 'revision', 'status', 'body')
      return readWhole('config', () => readConfig(reply))
    },
    findProviderKeys: tenantId => findText('provider-keys', keys.providerKeys(tenantId)),
    findKeySet: projectId => findText('key-set', keys.keySet(projectId)),
    findRestrictions: projectId => findText('restrictions', keys.restrictions(projectId)),
    findKillSwitches: async () => {
      const found = await findText('kill-switches', keys.killSwitches)
      return found && readWhole('kill-switches', () => ({ ...readSwitches(found.body), revision: found.revision }))
    },
  } satisfies Partial<Projection>
}

type Kind = StoreChange['kind'] | 'slug'

// All of these throw if the document is corrupt.

function readText(reply: unknown): RevisionedText | null {
  const [revision, body] = listOf(reply)
  return revision === null ? null : { revision: revisionOf(revision), body: textOf(body) }
}

function readConfig(reply: unknown): StoredConfig | null {
  const [revision, status, body] = listOf(reply)
  if (revision === null) return null
  if (status !== 'active' && status !== 'suspended') throw new Error('no status')
  return { revision: revisionOf(revision), status, body: textOf(body) }
}

function readRef(text: string): ProjectRef {
  const ref: unknown = JSON.parse(text)
  if (!isJsonObject(ref)) throw new Error('no object')
  return { projectId: textOf(ref['projectId']), tenantId: textOf(ref['tenantId']) }
}

/** Throws if a list is missing, which must not count as empty. */
function readSwitches(text: string): KillSwitches {
  const switches: unknown = JSON.parse(text)
  if (!isJsonObject(switches) || typeof switches['global'] !== 'boolean') throw new Error('no switches')
  const { global, tenants, projects } = switches
  return { global, tenants: listOf(tenants).map(textOf), projects: listOf(projects).map(textOf) }
}

function revisionOf(reply: unknown): number {
  const revision = numberOf(reply)
  assertCounts(revision)
  return revision
}

/** The body is for readers. The flags, one for each switch that is on, are for the admission, which reads three. */
function switchFields({ global, tenants, projects }: KillSwitches): string[] {
  const flags = [...(global ? ['global'] : []), ...tenants.map(id => `t:${id}`), ...projects.map(id => `p:${id}`)]
  return ['body', JSON.stringify({ global, tenants, projects }), ...flags.flatMap(flag => [flag, '1'])]
}

function outcomeOf(reply: unknown): WriteOutcome {
  if (reply === 'stored' || reply === 'unchanged' || reply === 'older') return reply
  throw new Error('Redis answered something other than a write outcome')
}
