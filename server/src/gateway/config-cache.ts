// The projects' live documents in this process: parsed once per revision, read again when the store tells of a change,
// at the latest after the cache time. Missing or damaged never means the defaults: the store's document, else the
// database's, else the last known one, else 503.
import type { Kysely } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import { parseLiveConfig } from '../domain/settings/live-config.ts'
import { type ProjectRef, type Store, type StoredConfig, StoreUnavailable } from '../kv/store.ts'
import { sparseLogOf } from '../log/sparse-log.ts'
import { getProjectedConfig } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'
import { ProjectConfig } from './project-config.ts'

export interface ConfigCache {
  /** The project's config while it counts as current, else null: then `get` it. */
  find(projectId: string): ProjectConfig | null
  /** The last known config, however old. */
  peek(projectId: string): ProjectConfig | null
  get(project: ProjectRef): Promise<ProjectConfig>
  /** Read again unless that was done within `maxAgeMs`. */
  getWithin(project: ProjectRef, maxAgeMs: number): Promise<ProjectConfig>
  stop(): void
}

export interface ConfigCacheDependencies {
  kv: Pick<Store, 'findConfig' | 'subscribe'>
  sql: Kysely<Schema>
  now: () => number
  log: Log
  cacheTtlMs: number
  metrics?: Pick<Metrics, 'configSeen'> | undefined
  maxEntries?: number
  maxBytes?: number
}

interface Entry {
  config: ProjectConfig
  bytes: number
  readAt: number
  /** From then on it must be read again. */
  staleAt: number
}

interface Flight {
  reading: Promise<ProjectConfig>
  /** Something changed after the reading began. */
  isOvertaken: boolean
}

/** After a reading that nobody could answer, and so for as long the last known one goes on. */
const retryMs = 1_000

export function createConfigCache(parts: ConfigCacheDependencies): ConfigCache {
  const { kv, now, cacheTtlMs } = parts
  const entries = createEntries(parts.maxEntries ?? 20_000, parts.maxBytes ?? 256 * 1024 * 1024)
  const flights = new Map<string, Flight>()

  async function read(project: ProjectRef): Promise<ProjectConfig> {
    const { projectId } = project
    const known = entries.get(projectId)?.config ?? null
    const found = await readConfig(parts, project, known)
    const isOvertaken = flights.get(projectId)?.isOvertaken === true
    flights.delete(projectId)
    const config = found ?? known
    if (config === null) throw new Refusal('config_unavailable')
    parts.metrics?.configSeen(config.revision)
    const readAt = now()
    const life = isOvertaken ? 0 : found === null ? Math.min(retryMs, cacheTtlMs) : cacheTtlMs
    entries.put(projectId, { config, bytes: 0, readAt, staleAt: readAt + life })
    return config
  }

  function refresh(project: ProjectRef): Promise<ProjectConfig> {
    const running = flights.get(project.projectId)
    if (running !== undefined) return running.reading
    const flight: Flight = { reading: read(project), isOvertaken: false }
    flights.set(project.projectId, flight)
    flight.reading.catch(() => flights.delete(project.projectId))
    return flight.reading
  }

  function find(projectId: string): ProjectConfig | null {
    const entry = entries.get(projectId)
    return entry !== undefined && now() < entry.staleAt ? entry.config : null
  }

  const unsubscribe = kv.subscribe(change => {
    if (change.kind === 'resync') {
      for (const entry of entries.values()) entry.staleAt = 0
      for (const flight of flights.values()) flight.isOvertaken = true
    } else if (change.kind === 'config') {
      const entry = entries.get(change.projectId)
      if (entry !== undefined && entry.config.revision < change.revision) entry.staleAt = 0
      const flight = flights.get(change.projectId)
      if (flight !== undefined) flight.isOvertaken = true
    }
  })

  return {
    find,
    peek: projectId => entries.get(projectId)?.config ?? null,
    get: async project => find(project.projectId) ?? (await refresh(project)),
    async getWithin(project, maxAgeMs) {
      const entry = entries.get(project.projectId)
      const isYoung = entry !== undefined && now() < Math.min(entry.staleAt, entry.readAt + maxAgeMs)
      return isYoung ? entry.config : await refresh(project)
    },
    stop: unsubscribe,
  }
}

/** The newest good config, the known one itself where nothing is newer, or null where nobody could be asked. */
async function readConfig(
  parts: ConfigCacheDependencies,
  project: ProjectRef,
  known: ProjectConfig | null,
): Promise<ProjectConfig | null> {
  const stored = await readStore(parts, project.projectId)
  if (stored !== null && stored.revision >= (known?.revision ?? 0)) {
    const config = parseDocument(parts.log, project, stored, known)
    if (config !== null) return config
  }
  // The store lacks it, or holds an old or a damaged one: only the database can say.
  const row = await readDatabase(parts, project.projectId)
  const newest = row !== null && row.revision >= (stored?.revision ?? 0) ? row : stored
  if (newest === null || known === null) return row && parseDocument(parts.log, project, row, known)
  if (newest.revision < known.revision) return known
  // Where it is damaged, the last good one stays in force, under the revision and the status that were read.
  const { revision, status } = newest
  return parseDocument(parts.log, project, newest, known) ?? known.withRevision(revision, status)
}

async function readStore({ kv, log }: ConfigCacheDependencies, projectId: string): Promise<StoredConfig | null> {
  try {
    return await kv.findConfig(projectId)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.debug('config not to be had from the store', { project_id: projectId, error })
    return null
  }
}

async function readDatabase({ sql, log }: ConfigCacheDependencies, projectId: string): Promise<StoredConfig | null> {
  try {
    return await getProjectedConfig(sql, projectId)
  } catch (error) {
    log.warn('config not to be had from the database', { project_id: projectId, error })
    return null
  }
}

/** Null where it is damaged. */
function parseDocument(
  log: Log,
  project: ProjectRef,
  { revision, status, body }: StoredConfig,
  known: ProjectConfig | null,
): ProjectConfig | null {
  if (known !== null && known.documentRevision === revision && known.status === status) return known
  const live = parseLiveConfig(body)
  if (live !== null && live.project_id === project.projectId) {
    const budget = known?.budget ?? { day: 0, remaining: 0 }
    return new ProjectConfig({ project, revision, documentRevision: revision, status, live, budget })
  }
  const { projectId } = project
  sparseLogOf(log).error('config of a project is damaged', `${projectId} ${revision}`, {
    project_id: projectId,
    revision,
  })
  return null
}

/** Bounded in number and size; what was read longest ago gives way. */
function createEntries(mostEntries: number, mostBytes: number) {
  const entries = new Map<string, Entry>()
  let bytes = 0
  const drop = (projectId: string): void => {
    bytes -= entries.get(projectId)?.bytes ?? 0
    entries.delete(projectId)
  }
  return {
    get: (projectId: string) => entries.get(projectId),
    values: () => entries.values(),
    put(projectId: string, entry: Entry): void {
      drop(projectId)
      const { settings } = entry.config.live
      // The prompt and the lists are what a document can be large by; a tier may hold each once more.
      const lists = settings.sentinel_blocklist.length * 64 + settings.cors_origins.length * 64
      entry.bytes = 4_096 + ((settings.system_prompt?.length ?? 0) * 2 + lists) * (1 + entry.config.live.tiers.length)
      entries.set(projectId, entry)
      bytes += entry.bytes
      while (entries.size > mostEntries || bytes > mostBytes) {
        const [oldest] = entries.keys()
        if (oldest === undefined || oldest === projectId) return
        drop(oldest)
      }
    },
  }
}
