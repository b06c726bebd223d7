// One project's live document at one revision, parsed once, with what the hot path would else compute per request. Immutable.
// Knows no store; where the document comes from is config-cache.ts's.
import { type LiveConfig, type ResolvedConfig, resolveForTier } from '../domain/settings/live-config.ts'
import type { ProjectRef, ProjectStatus } from '../kv/store.ts'

interface Fields {
  project: ProjectRef
  /** The newest seen. */
  revision: number
  /** The document's own, older where the newest was damaged. */
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

  /** The newest document is damaged, and this is the one before it: another source may have it whole. */
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
    // Only a tier that was dropped depends on the time.
    return this.live.retired_tiers.length === 0 ? this.#untiered : resolveForTier(this.live, tier, now())
  }
}
