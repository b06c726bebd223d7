// One project's live document at one revision, parsed once, with its tiers resolved in advance, so that the hot path
// does not do it per request. Immutable.
import { type ResolvedConfig, resolveForTier } from '../domain/resolved-config.ts'
import type { LiveConfig } from '../domain/settings/live-config.ts'
import type { ProjectRef, ProjectStatus } from '../kv/store.ts'

interface Fields {
  project: ProjectRef
  /** The newest revision that was read. */
  revision: number
  /** The revision of `live`; older than `revision` if the newest document is corrupt. */
  documentRevision: number
  status: ProjectStatus
  live: LiveConfig
}

export class ProjectConfig {
  readonly project: ProjectRef
  readonly revision: number
  readonly documentRevision: number
  readonly status: ProjectStatus
  readonly live: LiveConfig
  readonly #untiered: ResolvedConfig
  readonly #tiers: ReadonlyMap<string, ResolvedConfig>

  constructor({ project, revision, documentRevision, status, live }: Fields) {
    this.project = project
    this.revision = revision
    this.documentRevision = documentRevision
    this.status = status
    this.live = live
    this.#untiered = resolveForTier(live, undefined, 0)
    this.#tiers = new Map(live.tiers.map(({ name }) => [name, resolveForTier(live, name, 0)]))
  }

  /** True if the newest document is corrupt and this is the last valid one: the database may have a valid newer one. */
  get isDoubtful(): boolean {
    return this.documentRevision !== this.revision
  }

  withRevision(revision: number, status: ProjectStatus): ProjectConfig {
    const { project, documentRevision, live } = this
    return new ProjectConfig({ project, revision, documentRevision, status, live })
  }

  resolve(tier: string | null, now: () => number): ResolvedConfig {
    if (tier === null) return this.#untiered
    const known = this.#tiers.get(tier)
    if (known !== undefined) return known
    // Only a retired tier depends on the time.
    return this.live.retired_tiers.length === 0 ? this.#untiered : resolveForTier(this.live, tier, now())
  }
}
