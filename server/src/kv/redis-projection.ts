// The projection on Redis: documents with a revision, each one hash. Knows keys and fields, not what bodies mean.
import type { RedisConnection } from './redis-connection.ts'
import type { RedisKeys } from './redis-keys.ts'
import { listOf, numberOf, textOf } from './redis-replies.ts'
import { scripts } from './redis-scripts.ts'
import type { Change, KillSwitches, LiveConfig, Projection, ProjectRef, RevisionedText, WriteOutcome } from './store.ts'
import { assertCounts } from './verdict.ts'

/** Sent together, answered together: few round trips, and no stall of the server for the whole of a large sync. */
const atOnce = 200

/** Field by field: callers may hand over more than this. */
const describeRef = ({ projectId, tenantId }: ProjectRef): string => JSON.stringify({ projectId, tenantId })

export function createRedisProjection(connection: RedisConnection, keys: RedisKeys): Omit<Projection, 'subscribe'> {
  const put = async (key: string, change: Change & { revision: number }, fields: string[]): Promise<WriteOutcome> => {
    assertCounts(change.revision)
    const args = [change.revision, keys.changes, JSON.stringify(change), ...fields]
    return outcomeOf(await connection.run(scripts.putDocument, [key], args))
  }
  const putConfig = (projectId: string, { revision, status, body }: LiveConfig): Promise<WriteOutcome> =>
    put(keys.config(projectId), { kind: 'config', projectId, revision }, ['status', status, 'body', body])
  return {
    putSlugs: async entries => {
      for (let first = 0; first < entries.length; first += atOnce) {
        const chunk = entries.slice(first, first + atOnce)
        const pairs = chunk.flatMap(entry => [keys.slug(entry.slug), describeRef(entry)])
        await connection.send('MSET', ...pairs)
      }
    },
    findSlug: async slug => {
      const reply = await connection.send('GET', keys.slug(slug))
      return reply === null ? null : JSON.parse(textOf(reply))
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
    findConfig: async projectId => {
      const reply = await connection.send('HMGET', keys.config(projectId), 'revision', 'status', 'body')
      const [revision, status, body] = listOf(reply)
      if (revision === null) return null
      return {
        revision: numberOf(revision),
        status: status === 'suspended' ? 'suspended' : 'active',
        body: textOf(body),
      }
    },
    putProviderKeys: (tenantId, { revision, body }) =>
      put(keys.providerKeys(tenantId), { kind: 'provider-keys', tenantId, revision }, ['body', body]),
    findProviderKeys: tenantId => findText(connection, keys.providerKeys(tenantId)),
    putKeySet: (projectId, { revision, body }) =>
      put(keys.keySet(projectId), { kind: 'key-set', projectId, revision }, ['body', body]),
    findKeySet: projectId => findText(connection, keys.keySet(projectId)),
    putKillSwitches: (switches, revision) =>
      put(keys.killSwitches, { kind: 'kill-switches', revision }, switchFields(switches)),
    findKillSwitches: async () => {
      const found = await findText(connection, keys.killSwitches)
      return found && { ...JSON.parse(found.body), revision: found.revision }
    },
    markSeeded: async () => {
      await connection.send('SET', keys.epoch, '1')
    },
    isSeeded: async () => numberOf(await connection.send('EXISTS', keys.epoch)) === 1,
  }
}

async function findText(connection: RedisConnection, key: string): Promise<RevisionedText | null> {
  const [revision, body] = listOf(await connection.send('HMGET', key, 'revision', 'body'))
  return revision === null ? null : { revision: numberOf(revision), body: textOf(body) }
}

/** The body is for readers; a flag for each switch that is on is for the admission, which looks up three of them. */
function switchFields({ global, tenants, projects }: KillSwitches): string[] {
  const flags = [...(global ? ['global'] : []), ...tenants.map(id => `t:${id}`), ...projects.map(id => `p:${id}`)]
  return ['body', JSON.stringify({ global, tenants, projects }), ...flags.flatMap(flag => [flag, '1'])]
}

function outcomeOf(reply: unknown): WriteOutcome {
  if (reply === 'stored' || reply === 'unchanged' || reply === 'older') return reply
  throw new Error('Redis answered something other than a write outcome')
}
