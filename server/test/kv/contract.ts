// The executable part of server/src/kv/store.ts: the contract of all stores, run for each implementation.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../src/kv/store.ts'
import { describeBudgets } from './budget-contract.ts'
import { noon } from './contract-stage.ts'
import { describeConversations, describeCopies } from './conversations-contract.ts'
import { describeRequestLimits, describeTokens } from './limits-contract.ts'
import { describeBars, describeProjection } from './projection-contract.ts'
import { describeActivity, describeDiagnostics, describeEvents } from './reports-contract.ts'
import { describeReservations, describeWindows } from './reservations-contract.ts'
import { createHandClock, type OpenStore } from './stores.ts'

export function describeStore(name: string, open: OpenStore): void {
  describe(`the store ${name}`, () => {
    const clock = createHandClock(noon)
    let store: Store
    beforeEach(async () => {
      clock.set(noon)
      store = await open({ clock })
      return () => store.close()
    })
    const fresh = (): Store => store

    describeProjection(fresh)
    describeBars(fresh)
    describeRequestLimits(fresh, clock)
    describeTokens(fresh, clock)
    describeReservations(fresh, clock)
    describeBudgets(fresh, clock)
    describeWindows(fresh, clock)
    describeConversations(fresh, clock)
    describeDiagnostics(fresh, clock)
    describeActivity(fresh, clock)
    describeEvents(fresh, clock)
    describeCopies(fresh, clock)
  })

  describe(`the event stream at its end, ${name}`, () => {
    const clock = createHandClock(noon)
    let store: Store
    beforeAll(async () => {
      store = await open({ clock, streamLength: 100 })
    })
    afterAll(() => store.close())

    test('counts every event: emitted = acknowledged + unacknowledged + dropped', async () => {
      const emitted = 700
      for (let i = 0; i < 300; i += 1) await store.emitEvent('tenant', { n: String(i) }, 10_000)
      const first = await store.claimEvents('one', 50, 60_000)
      await store.acknowledgeEvents(first.slice(0, 30).map(event => event.id))
      for (let i = 300; i < emitted; i += 1) await store.emitEvent('tenant', { n: String(i) }, 10_000)
      let acknowledged = 30
      for (;;) {
        const taken = await store.claimEvents('two', 64, 0)
        if (taken.length === 0) break
        acknowledged += taken.length
        await store.acknowledgeEvents(taken.map(event => event.id))
      }
      const drops = await store.countDrops()
      expect(Object.keys(drops)).toEqual([''])
      expect(drops['']).toBeGreaterThan(300)
      expect(acknowledged + (drops[''] ?? 0)).toBe(emitted)
    })
  })
}
