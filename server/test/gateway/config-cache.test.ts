// Tests configs and kill switches that change while they are read, or that are read from a store with old data: an
// older document never replaces a newer one. The test controls the order by holding back the store's responses.
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { initialLiveConfig } from '../../src/domain/settings/live-config.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { createConfigCache } from '../../src/gateway/config-cache.ts'
import { createKillSwitchState } from '../../src/gateway/kill-switches.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import type { Store, StoreChange } from '../../src/kv/store.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { openMigrated } from '../storage/fixtures.ts'

const project = { projectId: randomUUID(), tenantId: randomUUID() }
const bodyOf = (memoryWindow: number): string => {
  const identity = { id: project.projectId, tenant_id: project.tenantId, slug: 'amber-falcon-4821' }
  const settings = { ...defaultSettings('http://localhost'), memory_window: memoryWindow }
  return JSON.stringify(initialLiveConfig(identity, settings))
}
/** Each revision has another memory window, by which tests recognise it. */
const configOf = (revision: number) => ({ revision, status: 'active' as const, body: bodyOf(revision) })

/** Holds back results that were already read from the store, oldest first. */
function createGates() {
  const held: Array<() => void> = []
  let isHolding = false
  return {
    async pass<Found>(found: Promise<Found>): Promise<Found> {
      const answer = await found
      if (isHolding) await new Promise<void>(resolve => held.push(resolve))
      return answer
    },
    hold: () => {
      isHolding = true
    },
    async areHeld(count: number) {
      await expect.poll(() => held.length).toBe(count)
    },
    letGo: async () => {
      held.shift()?.()
      await turn()
    },
    letAllGo: () => {
      isHolding = false
      for (const go of held.splice(0)) go()
    },
  }
}

async function openStage() {
  const { log, lines } = createMemoryLog()
  const database = await openMigrated()
  const openStore = () => createProcessStore({ now: Date.now, log })
  let store: Store = openStore()
  const gates = createGates()
  const listeners = new Set<(change: StoreChange) => void>()
  const kv = {
    findConfig: (id: string) => gates.pass(store.findConfig(id)),
    findKillSwitches: () => gates.pass(store.findKillSwitches()),
    subscribe(listener: (change: StoreChange) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  onTestFinished(async () => {
    gates.letAllGo()
    await store.close()
  })
  return {
    gates,
    kv,
    lines,
    parts: { kv, sql: database.sql, now: Date.now, log },
    closeDatabase: () => database.close(),
    store: () => store,
    /** As after a fail-over to a Redis replica that has not received all writes. */
    fallBack: () => {
      store = openStore()
    },
    tell: (change: StoreChange) => {
      for (const listener of listeners) listener(change)
    },
  }
}

describe('a config', () => {
  async function open() {
    const stage = await openStage()
    const configs = createConfigCache({ ...stage.parts, cacheTtlMs: 600_000 })
    onTestFinished(() => configs.stop())
    const put = (revision: number) => stage.store().putConfig(project.projectId, configOf(revision))
    const windowOf = async (reading: ReturnType<typeof configs.get>) => (await reading).live.settings.memory_window
    return { ...stage, configs, put, windowOf }
  }

  test('that the store has in an older revision than is known does not replace it', async () => {
    const { configs, put, windowOf, fallBack, closeDatabase } = await open()
    await put(5)
    expect(await windowOf(configs.get(project))).toBe(5)
    fallBack()
    await put(4)
    await closeDatabase()
    for (let times = 0; times < 2; times++) {
      const config = await configs.getWithin(project, 0)
      expect([config.revision, config.live.settings.memory_window]).toEqual([5, 5])
    }
    await put(6)
    expect(await windowOf(configs.getWithin(project, 0))).toBe(6)
  })

  test.each([
    { name: 'its own change', change: { kind: 'config', projectId: project.projectId, revision: 2 } },
    { name: 'a lost connection', change: { kind: 'resync' } },
  ] as const)('whose reading $name overtakes is read again by the next who asks', async ({ change }) => {
    const { gates, configs, put, windowOf, tell } = await open()
    await put(1)
    gates.hold()
    const reading = configs.get(project)
    await gates.areHeld(1)
    await put(2)
    tell(change)
    gates.letAllGo()
    expect(await windowOf(reading)).toBe(1)
    expect(configs.find(project.projectId)).toBeNull()
    expect(await windowOf(configs.get(project))).toBe(2)
    expect(configs.find(project.projectId)?.revision).toBe(2)
  })
})

test.each([{ kind: 'kill-switches', revision: 2 }, { kind: 'resync' }] as const)(
  'kill switches that a change ($kind) overtakes while they are read stand for nobody who asks after it',
  async change => {
    const { gates, parts, store, tell } = await openStage()
    await store().putKillSwitches({ global: false, tenants: [], projects: [] }, 1)
    gates.hold()
    const switches = createKillSwitchState(parts)
    onTestFinished(() => switches.stop())
    await gates.areHeld(1)
    await store().putKillSwitches({ global: false, tenants: [], projects: [project.projectId] }, 2)
    tell(change)
    await gates.letGo()
    // The old list has been read, and the read of the new one is in progress.
    await gates.areHeld(1)
    expect(switches.find(project)).toBeNull()
    const asked = switches.refuseIfOn(project, 60_000).then(
      () => 'let in',
      (error: { code?: string }) => error.code,
    )
    await turn()
    gates.letAllGo()
    expect(await asked).toBe('service_disabled')
  },
)
