// The part of the contract of the key-value store about reservations and windows.
import { expect, test } from 'vitest'
import type { Store } from '../../src/kv/store.ts'
import type { Clock } from './contract-stage.ts'
import { demandOf, requestOf, seed } from './stores.ts'

export function describeReservations(fresh: () => Store, clock: Clock): void {
  test('settles once, also when asked many times at once', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const request = requestOf({ tokens: demandOf() })
    await store.admit(request)
    const settlements = await Promise.all(
      Array.from({ length: 20 }, () => store.settle('project', request.requestId, 25)),
    )
    expect(settlements.filter(settlement => settlement === 'settled')).toHaveLength(1)
    expect(await store.settle('project', 'never made', 25)).toBe('unknown')
    expect(await store.findSpend('project', '2026-05-01')).toBe(25)
  })

  test('what an ended replica reserved is settled by its name at once, and nothing of others', async () => {
    const store = fresh()
    await seed(store, ['project', 'sibling'])
    const tokens = demandOf({ prompt: 10, completion: 90 })
    const [dead, alive] = [requestOf({ holder: 'dead', tokens }), requestOf({ tokens })]
    const elsewhere = requestOf({ holder: 'dead', projectId: 'sibling', tokens })
    for (const request of [dead, alive, elsewhere]) await store.admit(request)
    await store.checkpoint('project', dead.requestId, 33)
    expect(await store.sweepReservations(['project', 'sibling'], 'another')).toBe(0)
    expect(await store.sweepReservations(['project', 'sibling', 'unknown'], 'dead')).toBe(2)
    expect(await store.findSpend('project', '2026-05-01')).toBe(33)
    expect(await store.findSpend('sibling', '2026-05-01')).toBe(10)
    expect(await store.settle('project', alive.requestId, 1)).toBe('settled')
  })

  test('the same request id admits again with its reservation and counts nothing more', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const request = requestOf({ projectRequests: 2, tokens: demandOf({ prompt: 300, completion: 300 }) })
    const first = await store.admit(request)
    expect(await store.admit(request)).toEqual(first)
    expect(await store.admit({ ...request, requestId: 'other' })).toMatchObject({ admitted: true, reserved: 400 })
    expect(await store.admit({ ...request, projectRequests: 0 })).toMatchObject({ admitted: true, reserved: 600 })
    await store.putKillSwitches({ global: true, tenants: [], projects: [] }, 9)
    expect(await store.admit(request)).toMatchObject({ reason: 'killed' })
  })

  test('an admission that is withdrawn leaves nothing in the day, nor in the windows it was counted in', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const limits = { projectRequests: 2, userRequests: 2, projectTokens: 100, tokens: demandOf({ prompt: 40 }) }
    const [first, second] = [requestOf(limits), requestOf(limits)]
    const counts = async () => (await store.admit(requestOf({ ...limits, projectRequests: 0 }))).counts
    await store.admit(first)
    clock.advance(30_000)
    await store.admit(second)
    expect(await store.withdraw('project', second.requestId)).toBe('settled')
    expect(await store.withdraw('project', second.requestId)).toBe('unknown')
    expect(await store.withdraw('project', 'never made')).toBe('unknown')
    expect(await counts()).toMatchObject({ project: { count: 1 }, user: { count: 1 } })
    expect(await store.findSpend('project', '2026-05-01')).toBe(0)
    expect(await store.admit(requestOf(limits))).toMatchObject({ admitted: true, requests: { remaining: 0 } })
    // The first request's window is over, so withdrawing it changes nothing in the next window.
    clock.advance(30_000)
    expect(await store.admit(requestOf({ ...limits, tokens: null }))).toMatchObject({ requests: { remaining: 1 } })
    expect(await store.withdraw('project', first.requestId)).toBe('settled')
    expect(await counts()).toMatchObject({ project: { count: 1 }, user: { count: 1 } })
  })

  test('a dead copy’s reservation is charged at its last checkpoint after the lease', async () => {
    const store = fresh()
    await seed(store, ['project', 'sibling'])
    const dead = requestOf({ tokens: demandOf({ prompt: 10, completion: 90 }) })
    const alive = requestOf({ tokens: demandOf({ prompt: 20, completion: 80 }) })
    const silent = requestOf({ projectId: 'sibling', tokens: demandOf({ prompt: 7, completion: 80 }) })
    for (const request of [dead, alive, silent]) await store.admit(request)
    clock.advance(60_000)
    await store.checkpoint('project', dead.requestId, 33)
    clock.advance(14 * 60_000 - 1)
    await store.checkpoint('project', alive.requestId, 44)
    expect(await store.sweepReservations(['project', 'sibling'])).toBe(0)
    clock.advance(1)
    expect(await store.sweepReservations(['project', 'sibling', 'unknown'])).toBe(1)
    expect(await store.findSpend('sibling', '2026-05-01')).toBe(7)
    clock.advance(60_000)
    expect(await store.sweepReservations(['project'])).toBe(1)
    expect(await store.findSpend('project', '2026-05-01')).toBe(33)
    expect(await store.settle('project', dead.requestId, 99)).toBe('unknown')
    expect(await store.settle('project', alive.requestId, 44)).toBe('settled')
    await store.checkpoint('project', dead.requestId, 50)
    expect(await store.sweepReservations([])).toBe(0)
    expect(await store.admit(requestOf({ tokens: demandOf() }))).toMatchObject({
      tokens: { remaining: 1000 - 77 - 30 },
    })
  })

  test('refuses counts that are not whole and not negative', async () => {
    const store = fresh()
    await seed(store, ['project'])
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 60]) {
      await expect(store.settle('project', 'id', wrong)).rejects.toThrow(RangeError)
      await expect(store.admit(requestOf({ tokens: demandOf({ prompt: wrong }) }))).rejects.toThrow(RangeError)
    }
  })

  test('counts tokens far beyond thousands of millions exactly', async () => {
    const store = fresh()
    await seed(store, ['project'])
    const large = 4_503_599_627_370_497
    const request = requestOf({ projectTokens: large + 5, tokens: demandOf({ prompt: large, completion: 0 }) })
    expect(await store.admit(request)).toMatchObject({ reserved: large, tokens: { remaining: 5 } })
    await store.settle('project', request.requestId, large)
    expect(await store.findSpend('project', '2026-05-01')).toBe(large)
  })
}

export function describeWindows(fresh: () => Store, clock: Clock): void {
  const hour = { name: 'hour', limit: 3, windowSeconds: 3600 }
  const minute = { name: 'minute', limit: 1, windowSeconds: 60 }

  test('takes from all windows or from none', async () => {
    const store = fresh()
    expect(await store.take([hour, minute])).toMatchObject({ admitted: true })
    for (let i = 0; i < 5; i += 1) {
      expect(await store.take([hour, minute])).toEqual({ admitted: false, name: 'minute', retryAfterSeconds: 60 })
    }
    expect(await store.take([hour])).toMatchObject({ admitted: true })
    clock.advance(10_000)
    expect(await store.take([hour])).toMatchObject({ admitted: true })
    expect(await store.take([minute, hour])).toEqual({ admitted: false, name: 'hour', retryAfterSeconds: 3590 })
    clock.advance(3_590_000)
    expect(await store.take([hour, minute])).toMatchObject({ admitted: true })
    expect(await store.take([])).toEqual({ admitted: true, receipt: [] })
    const closed = { name: 'closed', limit: 0, windowSeconds: 5 }
    expect(await store.take([closed])).toEqual({ admitted: false, name: 'closed', retryAfterSeconds: 5 })
  })

  test('says how many a window has counted', async () => {
    const store = fresh()
    const counts = async () => {
      const outcome = await store.take([hour, { name: 'other', limit: 9, windowSeconds: 5 }])
      return outcome.admitted ? outcome.receipt.map(({ name, count }) => `${name} ${count}`) : null
    }
    expect([await counts(), await counts()]).toEqual([
      ['hour 1', 'other 1'],
      ['hour 2', 'other 2'],
    ])
    clock.advance(5_000)
    expect(await counts()).toEqual(['hour 3', 'other 1'])
  })

  test('gives back what was taken, not below zero, and nothing into a later window', async () => {
    const store = fresh()
    const take = async () => {
      const outcome = await store.take([minute])
      return outcome.admitted ? outcome.receipt : null
    }
    const receipt = (await take()) ?? []
    await store.giveBack(receipt)
    await store.giveBack(receipt)
    expect(await take()).not.toBeNull()
    expect(await take()).toBeNull()
    clock.advance(60_000)
    expect(await take()).not.toBeNull()
    await store.giveBack(receipt)
    expect(await take()).toBeNull()
  })
}
