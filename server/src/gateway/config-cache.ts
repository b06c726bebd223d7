// Caches the projects' live documents in this process, each parsed once per revision. A missing or corrupt document
// never means the defaults: without a last known document, requests get a 503.
import type { Kysely } from 'kysely'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import { parseLiveConfig } from '../domain/settings/live-config.ts'
import type { DocumentSource } from '../kv/projected-document.ts'
import { ProjectedDocuments } from '../kv/projected-documents.ts'
import type { ProjectRef, Store, StoredConfig } from '../kv/store.ts'
import { sparseLogOf } from '../log/sparse-log.ts'
import { findProjectedConfig } from '../storage/projections.ts'
import type { Schema } from '../storage/schema.ts'
import { ProjectConfig } from './project-config.ts'

export interface ConfigCache {
  /** The project's config while it is current; null if `get` must read it. */
  find(projectId: string): ProjectConfig | null
  /** The last known config, however old. */
  peek(projectId: string): ProjectConfig | null
  /** Throws `unknown_host` if the project was deleted. */
  get(project: ProjectRef): Promise<ProjectConfig>
  /** Reads the config again unless the current one was read within the last `maxAgeMs`. */
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
}

export function createConfigCache(dependencies: ConfigCacheDependencies): ConfigCache {
  const documents = new ProjectedDocuments(configSource(dependencies), {
    maxDocuments: 20_000,
    maxBytes: 256 * 1024 * 1024,
    sizeOf,
  })
  const unsubscribe = dependencies.kv.subscribe(change => {
    if (change.kind === 'resync') documents.supersedeAll()
    else if (change.kind === 'config') documents.supersede(change.projectId, change.revision)
  })
  const getOrRefuse = async (reading: Promise<ProjectConfig | null>): Promise<ProjectConfig> => {
    const config = await reading
    if (config === null) throw new Refusal('config_unavailable')
    return config
  }
  return {
    find: documents.find,
    peek: documents.peek,
    get: project => getOrRefuse(documents.get(project.projectId, project)),
    getWithin: (project, maxAgeMs) => getOrRefuse(documents.getWithin(project.projectId, project, maxAgeMs)),
    stop: unsubscribe,
  }
}

function configSource(dependencies: ConfigCacheDependencies): DocumentSource<ProjectRef, ProjectConfig> {
  const { kv, sql, now, log, cacheTtlMs, metrics } = dependencies
  /**
   * If the document is corrupt, the last valid one stays in force, with the revision and status of the corrupt one.
   */
  const parse = (project: ProjectRef, document: StoredConfig, known: ProjectConfig | null): ProjectConfig | null =>
    parseDocument(log, project, document, known) ?? known?.withRevision(document.revision, document.status) ?? null
  return {
    now,
    lifeMs: cacheTtlMs,
    async fromStore(project, known) {
      const stored = await kv.findConfig(project.projectId)
      return stored && parse(project, stored, known)
    },
    async fromDatabase(project, known) {
      const row = await findProjectedConfig(sql, project.projectId)
      if (row === undefined) throw new Refusal('unknown_host')
      const config = parse(project, row, known)
      if (config === null) throw new Error('the config of the project is corrupt')
      return config
    },
    isAnswer: error => error instanceof Refusal && error.code === 'unknown_host',
    // Calls in flight of a deleted project end like those of a suspended one.
    afterDeletion: known => known.withRevision(known.revision, 'suspended'),
    onUnavailable(from, { projectId }, error) {
      if (from === 'store') log.debug('config could not be read from the store', { project_id: projectId, error })
      else sparseLogOf(log).warn('config could not be read from the database', '', { project_id: projectId, error })
    },
    onChange: config => metrics?.configSeen(config.revision),
  }
}

/** Null if the document is corrupt. */
function parseDocument(
  log: Log,
  project: ProjectRef,
  { revision, status, body }: StoredConfig,
  known: ProjectConfig | null,
): ProjectConfig | null {
  if (known !== null && known.documentRevision === revision && known.status === status) return known
  const live = parseLiveConfig(body)
  if (live !== null && live.project_id === project.projectId) {
    return new ProjectConfig({ project, revision, documentRevision: revision, status, live })
  }
  const { projectId } = project
  sparseLogOf(log).error('config of a project is corrupt', `${projectId} ${revision}`, {
    project_id: projectId,
    revision,
  })
  return null
}

function sizeOf({ live: { settings, tiers, prompts } }: ProjectConfig): number {
  // Only the prompts and the lists can be large, and each tier may have its own.
  const { sentinel_blocklist, answer_blocklist, cors_origins } = settings
  const lists = (sentinel_blocklist.length + answer_blocklist.length + cors_origins.length) * 64
  const templates = prompts.length === 0 ? 0 : JSON.stringify(prompts).length * 2
  return 4_096 + templates + ((settings.system_prompt?.length ?? 0) * 2 + lists) * (1 + tiers.length)
}
