// The part of the contract of the key-value store about projected documents and what bars a request.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Store, StoreChange } from '../../src/kv/store.ts'
import { noon } from './contract-stage.ts'
import { requestOf, seed } from './stores.ts'

export function describeProjection(fresh: () => Store): void {
  test('answers a ping', async () => {
    await fresh().ping()
  })

  test('finds slugs, and nothing under others', async () => {
    const store = fresh()
    await store.putSlugs([
      { slug: 'amber-falcon-1', projectId: 'p1', tenantId: 't1' },
      { slug: 'amber-falcon-2', projectId: 'p2', tenantId: 't2' },
    ])
    await store.putSlugs([])
    expect(await store.findSlug('amber-falcon-2')).toEqual({ projectId: 'p2', tenantId: 't2' })
    expect(await store.findSlug('amber-falcon-3')).toBeNull()
  })

  test('forgets a deleted project and a deleted tenant, tells of it, and leaves the others', async () => {
    const store = fresh()
    await seed(store, ['p1', 'p2'])
    await store.putSlugs(['p1', 'p2'].map(projectId => ({ slug: `slug-${projectId}`, projectId, tenantId: 't1' })))
    for (const id of ['p1', 'p2']) {
      await store.putKeySet(id, { revision: 1, body: 'keys' })
      await store.putRestrictions(id, { revision: 1, body: '{}' })
    }
    for (const id of ['t1', 't2']) await store.putProviderKeys(id, { revision: 1, body: '{}' })
    const day = new Date(noon).toISOString().slice(0, 10)
    await store.restoreSpend(['p1', 'p2'].map(projectId => ({ projectId, day, tokens: 7, users: { u: 7 } })))
    const changes: StoreChange[] = []
    const unsubscribe = store.subscribe(change => changes.push(change))
    for (let time = 0; time < 2; time += 1) {
      await store.forgetProject({ projectId: 'p1', slug: 'slug-p1' })
      await store.forgetTenant('t1')
    }
    await expect
      .poll(() => changes)
      .toEqual(
        expect.arrayContaining([
          { kind: 'config', projectId: 'p1', revision: Number.MAX_SAFE_INTEGER },
          { kind: 'provider-keys', tenantId: 't1', revision: Number.MAX_SAFE_INTEGER },
        ]),
      )
    unsubscribe()
    expect([await store.findSlug('slug-p1'), await store.findSlug('slug-p2')]).toEqual([null, expect.anything()])
    expect([await store.findConfig('p1'), await store.findConfig('p2')]).toEqual([null, expect.anything()])
    expect([await store.findKeySet('p1'), await store.findKeySet('p2')]).toEqual([null, expect.anything()])
    expect([await store.findRestrictions('p1'), await store.findRestrictions('p2')]).toEqual([null, expect.anything()])
    expect([await store.findProviderKeys('t1'), await store.findProviderKeys('t2')]).toEqual([null, expect.anything()])
    expect([await store.findSpend('p1', day), await store.findSpend('p2', day)]).toEqual([0, 7])
    // After a deletion, a document may start at any revision.
    expect(await store.putConfig('p1', { revision: 1, status: 'active', body: '{}' })).toBe('stored')
  })

  test('keeps the newer config, rewrites the equal one in silence, tells of each change', async () => {
    const store = fresh()
    const changes: StoreChange[] = []
    const unsubscribe = store.subscribe(change => changes.push(change))
    const put = (revision: number, body: string) => store.putConfig('p', { revision, status: 'active', body })
    expect(await store.findConfig('p')).toBeNull()
    expect(await put(2, 'two')).toBe('stored')
    expect(await put(1, 'one')).toBe('older')
    expect(await put(2, 'healed')).toBe('unchanged')
    expect(await store.findConfig('p')).toEqual({ revision: 2, status: 'active', body: 'healed' })
    expect(await store.putConfig('p', { revision: 10, status: 'suspended', body: 'ü€😀\n"' })).toBe('stored')
    expect(await store.findConfig('p')).toEqual({ revision: 10, status: 'suspended', body: 'ü€😀\n"' })
    await expect.poll(() => changes.length).toBe(2)
    unsubscribe()
    await put(11, 'unheard')
    await sleep(50)
    expect(changes).toEqual([
      { kind: 'config', projectId: 'p', revision: 2 },
      { kind: 'config', projectId: 'p', revision: 10 },
    ])
  })

  test('calls listeners after the write, not inside it, and survives one that throws', async () => {
    const store = fresh()
    let called = false
    store.subscribe(() => {
      throw new Error('a listener fails')
    })
    store.subscribe(() => {
      called = true
    })
    const writing = store.putKeySet('p', { revision: 1, body: 'keys' })
    expect(called).toBe(false)
    await writing
    await expect.poll(() => called).toBe(true)
  })

  test('puts many configs, with outcomes in their order', async () => {
    const store = fresh()
    await store.putConfig('p7', { revision: 5, status: 'active', body: '' })
    const entries = Array.from({ length: 450 }, (_, i) => {
      return { projectId: `p${i}`, revision: 3, status: 'active' as const, body: String(i) }
    })
    const outcomes = await store.putConfigs(entries)
    expect(outcomes).toEqual(entries.map(({ projectId }) => (projectId === 'p7' ? 'older' : 'stored')))
    expect((await store.findConfig('p449'))?.body).toBe('449')
  })

  test('keeps provider keys and key sets by revision, an emptied set too', async () => {
    const store = fresh()
    expect(await store.findProviderKeys('t')).toBeNull()
    expect(await store.putProviderKeys('t', { revision: 2, body: 'sealed' })).toBe('stored')
    expect(await store.putProviderKeys('t', { revision: 1, body: 'old' })).toBe('older')
    expect(await store.findProviderKeys('t')).toEqual({ revision: 2, body: 'sealed' })
    expect(await store.putKeySet('p', { revision: 4, body: '' })).toBe('stored')
    expect(await store.putKeySet('p', { revision: 3, body: 'old' })).toBe('older')
    expect(await store.findKeySet('p')).toEqual({ revision: 4, body: '' })
  })

  test('keeps restrictions by revision, and tells of each change', async () => {
    const store = fresh()
    const changes: StoreChange[] = []
    store.subscribe(change => changes.push(change))
    expect(await store.findRestrictions('p')).toBeNull()
    expect(await store.putRestrictions('p', { revision: 2, body: 'two' })).toBe('stored')
    expect(await store.putRestrictions('p', { revision: 1, body: 'one' })).toBe('older')
    expect(await store.putRestrictions('p', { revision: 2, body: 'healed' })).toBe('unchanged')
    expect(await store.findRestrictions('p')).toEqual({ revision: 2, body: 'healed' })
    expect(await store.findRestrictions('q')).toBeNull()
    await expect.poll(() => changes).toEqual([{ kind: 'restrictions', projectId: 'p', revision: 2 }])
  })

  test('keeps the whole list of kill switches by revision', async () => {
    const store = fresh()
    expect(await store.findKillSwitches()).toBeNull()
    const on = { global: true, tenants: ['t1', 't2'], projects: ['p1'] }
    expect(await store.putKillSwitches(on, 5)).toBe('stored')
    expect(await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 4)).toBe('older')
    expect(await store.findKillSwitches()).toEqual({ ...on, revision: 5 })
    expect(await store.putKillSwitches({ global: false, tenants: ['t2'], projects: [] }, 6)).toBe('stored')
    expect(await store.findKillSwitches()).toEqual({ global: false, tenants: ['t2'], projects: [], revision: 6 })
  })

  test('is seeded once marked', async () => {
    const store = fresh()
    expect(await store.isSeeded()).toBe(false)
    await store.markSeeded(await store.startFilling())
    expect(await store.isSeeded()).toBe(true)
  })
}

export function describeBars(fresh: () => Store): void {
  const reasonOf = async (overrides: Parameters<typeof requestOf>[0] = {}): Promise<string> => {
    const answer = await fresh().admit(requestOf(overrides))
    return answer.admitted ? 'admitted' : answer.reason
  }

  test('admits nothing while anything is missing', async () => {
    const store = fresh()
    expect(await store.admit(requestOf())).toEqual({
      admitted: false,
      reason: 'unseeded',
      retryAfterSeconds: 0,
      requests: null,
      tokens: null,
      counts: null,
    })
    await store.markSeeded(await store.startFilling())
    expect(await reasonOf()).toBe('unseeded')
    await store.putConfig('project', { revision: 1, status: 'active', body: '' })
    expect(await reasonOf()).toBe('unseeded')
    await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
    expect(await reasonOf()).toBe('admitted')
    expect(await reasonOf({ projectId: 'another' })).toBe('unseeded')
  })

  test('admits nothing before all of it is said to be there', async () => {
    const store = fresh()
    await store.putConfig('project', { revision: 1, status: 'active', body: '' })
    await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
    expect(await reasonOf()).toBe('unseeded')
    await store.markSeeded(await store.startFilling())
    expect(await reasonOf()).toBe('admitted')
  })

  test('refuses in the order stale config, stale restrictions, killed, suspended, requests', async () => {
    const store = fresh()
    await seed(store, ['project'])
    await store.putConfig('project', { revision: 2, status: 'suspended', body: '' })
    await store.putKillSwitches({ global: false, tenants: ['tenant'], projects: [] }, 2)
    const none = { projectRequests: 0 }
    expect(await reasonOf({ ...none, configRevision: 1 })).toBe('stale_config')
    await store.putRestrictions('project', { revision: 5, body: '' })
    expect(await reasonOf({ ...none, configRevision: 2, restrictionsRevision: 4 })).toBe('stale_restrictions')
    const current = { ...none, restrictionsRevision: 5 }
    expect(await reasonOf({ ...current, configRevision: 2 })).toBe('killed')
    expect(await reasonOf({ ...current, configRevision: 3, tenantId: 'other' })).toBe('suspended')
    await store.putConfig('project', { revision: 3, status: 'active', body: '' })
    expect(await reasonOf({ ...current, configRevision: 3, tenantId: 'other' })).toBe('project_requests')
  })

  test('a kill switch holds for its scope alone, at once', async () => {
    const store = fresh()
    await seed(store, ['project', 'sibling'])
    await store.putKillSwitches({ global: false, tenants: [], projects: ['project'] }, 2)
    expect(await reasonOf()).toBe('killed')
    expect(await reasonOf({ projectId: 'sibling' })).toBe('admitted')
    await store.putKillSwitches({ global: true, tenants: [], projects: [] }, 3)
    expect(await reasonOf({ projectId: 'sibling' })).toBe('killed')
    await store.putKillSwitches({ global: false, tenants: [], projects: [] }, 4)
    expect(await reasonOf()).toBe('admitted')
  })
}
