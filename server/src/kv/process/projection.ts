// The projection in this process: maps of documents with a revision, one entry for each row of the database.

import { assertCounts } from '../admission-arithmetic.ts'
import { isAnyOn, isKilled, type SwitchesOn } from '../covering-switches.ts'
import { forgottenRevision } from '../forgotten-revision.ts'
import type {
  AdmissionRequest,
  KillSwitches,
  Projection,
  ProjectRef,
  RevisionedText,
  StoreChange,
  StoredConfig,
  WriteOutcome,
} from '../store.ts'

type Rejection = 'unseeded' | 'stale_config' | 'stale_restrictions' | 'killed' | 'suspended'

export interface ProcessProjection {
  intentions: Omit<Projection, 'subscribe'>
  /** When the store was filled; null until then. */
  filledAt(): number | null
  /** Why a request is refused before any limit is checked, or null; twin of `find_rejection` in admit.lua. */
  findRejection(request: AdmissionRequest): Rejection | null
}

export function createProcessProjection(notify: (change: StoreChange) => void, clock: () => number): ProcessProjection {
  const slugs = new Map<string, ProjectRef>()
  const configs = new Map<string, StoredConfig>()
  const providerKeys = new Map<string, RevisionedText>()
  const keySets = new Map<string, RevisionedText>()
  const restrictions = new Map<string, RevisionedText>()
  let switches: Switches | null = null
  let areSwitchesOn = false
  const mark = createMark(notify, clock)
  const put = createPut(notify)
  const putConfig = (projectId: string, { revision, status, body }: StoredConfig): WriteOutcome =>
    put(configs, projectId, { revision, status, body }, { kind: 'config', projectId, revision })
  const switchesSlot = {
    get: () => switches ?? undefined,
    set: (_key: string, next: Switches) => {
      switches = next
      areSwitchesOn = isAnyOn(next)
    },
  }
  return {
    filledAt: mark.filledAt,
    findRejection: request => {
      const config = configs.get(request.projectId)
      if (mark.filledAt() === null || switches === null || !config) return 'unseeded'
      if (config.revision > request.configRevision) return 'stale_config'
      if ((restrictions.get(request.projectId)?.revision ?? 0) > request.restrictionsRevision)
        return 'stale_restrictions'
      if (areSwitchesOn && isKilled(switches, request)) return 'killed'
      return config.status === 'suspended' ? 'suspended' : null
    },
    intentions: {
      putSlugs: async entries => {
        for (const { slug, projectId, tenantId } of entries) slugs.set(slug, { projectId, tenantId })
      },
      findSlug: async slug => copyOf(slugs.get(slug)),
      putConfig: async (projectId, config) => putConfig(projectId, config),
      putConfigs: async entries => entries.map(({ projectId, ...config }) => putConfig(projectId, config)),
      findConfig: async projectId => copyOf(configs.get(projectId)),
      putProviderKeys: async (tenantId, { revision, body }) =>
        put(providerKeys, tenantId, { revision, body }, { kind: 'provider-keys', tenantId, revision }),
      findProviderKeys: async tenantId => copyOf(providerKeys.get(tenantId)),
      putKeySet: async (projectId, { revision, body }) =>
        put(keySets, projectId, { revision, body }, { kind: 'key-set', projectId, revision }),
      findKeySet: async projectId => copyOf(keySets.get(projectId)),
      putRestrictions: async (projectId, { revision, body }) =>
        put(restrictions, projectId, { revision, body }, { kind: 'restrictions', projectId, revision }),
      findRestrictions: async projectId => copyOf(restrictions.get(projectId)),
      putKillSwitches: async ({ global, tenants, projects }, revision) => {
        const next = { revision, global, tenants: new Set(tenants), projects: new Set(projects) }
        return put(switchesSlot, '', next, { kind: 'kill-switches', revision })
      },
      findKillSwitches: async () => switches && describeSwitches(switches),
      ...createForget({ slugs, configs, keySets, restrictions, providerKeys }, notify),
      ...mark.intentions,
    },
  }
}

function createMark(notify: (change: StoreChange) => void, clock: () => number) {
  let filledAt: number | null = null
  return {
    filledAt: () => filledAt,
    intentions: {
      // What is in this process is not emptied.
      startFilling: async () => 'filling',
      markSeeded: async () => {
        if (filledAt === null) {
          filledAt = clock()
          notify({ kind: 'replicas' })
        }
        return true
      },
      isSeeded: async () => filledAt !== null,
    },
  }
}

interface Documents {
  slugs: Map<string, ProjectRef>
  configs: Map<string, StoredConfig>
  keySets: Map<string, RevisionedText>
  restrictions: Map<string, RevisionedText>
  providerKeys: Map<string, RevisionedText>
}

function createForget(
  { slugs, configs, keySets, restrictions, providerKeys }: Documents,
  notify: (change: StoreChange) => void,
) {
  return {
    forgetProject: async ({ projectId, slug }: { projectId: string; slug: string }) => {
      for (const documents of [configs, keySets, restrictions]) documents.delete(projectId)
      slugs.delete(slug)
      notify({ kind: 'config', projectId, revision: forgottenRevision })
    },
    forgetTenant: async (tenantId: string) => {
      providerKeys.delete(tenantId)
      notify({ kind: 'provider-keys', tenantId, revision: forgottenRevision })
    },
  }
}

/** Replaces a document unless the stored one is newer; twin of scripts/put-document.lua. */
function createPut(notify: (change: StoreChange) => void) {
  return <T extends { revision: number }>(
    documents: { get(key: string): T | undefined; set(key: string, document: T): void },
    key: string,
    document: T,
    change: StoreChange,
  ): WriteOutcome => {
    assertCounts(document.revision)
    const stored = documents.get(key)
    if (stored && stored.revision > document.revision) return 'older'
    documents.set(key, document)
    if (stored?.revision === document.revision) return 'unchanged'
    notify(change)
    return 'stored'
  }
}

interface Switches extends SwitchesOn {
  revision: number
}

function describeSwitches({ revision, global, tenants, projects }: Switches): KillSwitches & { revision: number } {
  return { global, tenants: [...tenants], projects: [...projects], revision }
}

/** A copy, so that callers cannot change the stored document. */
function copyOf<T extends object>(document: T | undefined): T | null {
  return document ? { ...document } : null
}
