// The part of the contract of the key-value store about diagnostics, activity and events.
import { expect, test } from 'vitest'
import type { Store } from '../../src/kv/store.ts'
import { type Clock, noon } from './contract-stage.ts'

const dayMs = 86_400_000

export function describeDiagnostics(fresh: () => Store, clock: Clock): void {
  const hourMs = 3_600_000
  const one = (kind: string, detail: string, count = 1) => ({ kind, detail, count })

  test('adds up what went wrong by kind and detail, the latest first, each project for itself', async () => {
    const store = fresh()
    await store.addDiagnostics('p', [one('a', 'x y'), one('b', 'x y', 3)])
    clock.advance(2 * hourMs)
    await store.addDiagnostics('p', [one('a', 'x y', 2), one('a', 'ü', 1)])
    await store.addDiagnostics('q', [one('a', 'x y')])
    expect(await store.findDiagnostics('p')).toEqual([
      { ...one('a', 'x y', 3), lastSeenAt: noon + 2 * hourMs },
      { ...one('a', 'ü'), lastSeenAt: noon + 2 * hourMs },
      { ...one('b', 'x y', 3), lastSeenAt: noon },
    ])
    expect(await store.findDiagnostics('r')).toEqual([])
  })

  test('forgets what is older than 24 hours', async () => {
    const store = fresh()
    await store.addDiagnostics('p', [one('a', 'old')])
    clock.advance(24 * hourMs)
    await store.addDiagnostics('p', [one('a', 'new')])
    expect((await store.findDiagnostics('p')).map(({ detail }) => detail)).toEqual(['new', 'old'])
    clock.advance(1)
    expect((await store.findDiagnostics('p')).map(({ detail }) => detail)).toEqual(['new'])
  })

  test('tells at most fifty details of an hour apart, and returns two hundred at most', async () => {
    const store = fresh()
    const many = (from: number) => Array.from({ length: 60 }, (_, i) => one('a', String(from + i)))
    await store.addDiagnostics('p', many(0))
    await store.addDiagnostics('p', [one('a', '0'), one('b', 'late')])
    const found = await store.findDiagnostics('p')
    expect(found).toHaveLength(52)
    expect(found.find(({ detail }) => detail === '0')?.count).toBe(2)
    expect(found.filter(({ detail }) => detail === 'other').map(({ kind, count }) => [kind, count])).toEqual([
      ['a', 10],
      ['b', 1],
    ])
    for (let hour = 1; hour < 6; hour++) {
      clock.advance(hourMs)
      await store.addDiagnostics('p', many(hour * 100))
    }
    expect(await store.findDiagnostics('p')).toHaveLength(200)
  })
}

export function describeActivity(fresh: () => Store, clock: Clock): void {
  const minuteMs = 60_000
  const startsOf = async (store: Store, projectId = 'p') =>
    (await store.findActivity(projectId)).minutes.map(({ startsAt }) => (startsAt - noon) / minuteMs)

  test('adds up the activity of each project by minute, oldest first', async () => {
    const store = fresh()
    await store.addActivity([
      { projectId: 'p', counts: { requests: 2, 'reason:x y': 1 } },
      { projectId: 'q', counts: { requests: 5 } },
    ])
    clock.advance(minuteMs - 1)
    await store.addActivity([{ projectId: 'p', counts: { requests: 1, tokens: 2 ** 40 } }])
    clock.advance(1)
    await store.addActivity([{ projectId: 'p', counts: { requests: 4 } }])
    expect(await store.findActivity('p')).toEqual({
      now: noon + minuteMs,
      minutes: [
        { startsAt: noon, counts: { requests: 3, tokens: 2 ** 40, 'reason:x y': 1 } },
        { startsAt: noon + minuteMs, counts: { requests: 4 } },
      ],
    })
    expect((await store.findActivity('q')).minutes).toEqual([{ startsAt: noon, counts: { requests: 5 } }])
    expect(await store.findActivity('r')).toEqual({ now: noon + minuteMs, minutes: [] })
    await store.addActivity([])
  })

  test('takes the activity of many projects at once', async () => {
    const store = fresh()
    const entries = Array.from({ length: 120 }, (_, at) => ({
      projectId: `p${at}`,
      counts: { requests: at + 1, x: 1 },
    }))
    await store.addActivity(entries)
    for (const at of [0, 49, 50, 119]) {
      expect((await store.findActivity(`p${at}`)).minutes).toMatchObject([{ counts: { requests: at + 1, x: 1 } }])
    }
  })

  test('returns the activity of the last sixty minutes and no older one', async () => {
    const store = fresh()
    for (let minute = 0; minute < 62; minute += 1) {
      await store.addActivity([{ projectId: 'p', counts: { requests: 1 } }])
      clock.advance(minuteMs)
    }
    expect(await startsOf(store)).toEqual(Array.from({ length: 59 }, (_, at) => at + 3))
    clock.advance(58 * minuteMs)
    expect(await startsOf(store)).toEqual([61])
    clock.advance(minuteMs)
    expect(await startsOf(store)).toEqual([])
  })

  test('takes no count that is not a whole number', async () => {
    const store = fresh()
    for (const count of [-1, 0.5, Number.NaN]) {
      await expect(store.addActivity([{ projectId: 'p', counts: { requests: count } }])).rejects.toThrow(RangeError)
    }
  })
}

export function describeEvents(fresh: () => Store, clock: Clock): void {
  test('hands each event to one consumer, in order, until it is acknowledged', async () => {
    const store = fresh()
    expect(await store.claimEvents('one', 10, 60_000)).toEqual([])
    for (const n of ['1', '2', '3']) expect(await store.emitEvent('t', { n, text: 'ü' }, 100)).toBe('stored')
    const first = await store.claimEvents('one', 2, 60_000)
    expect(first.map(event => event.fields)).toEqual([
      { n: '1', text: 'ü' },
      { n: '2', text: 'ü' },
    ])
    const second = await store.claimEvents('two', 10, 60_000)
    expect(second.map(event => event.fields['n'])).toEqual(['3'])
    await store.acknowledgeEvents([first[0]?.id ?? ''])
    await store.acknowledgeEvents([])
    expect(await store.claimEvents('two', 10, 60_000)).toEqual([])
    await store.emitEvent('t', { n: '4' }, 100)
    const retaken = await store.claimEvents('two', 10, 0)
    expect(retaken.map(event => event.fields['n'])).toEqual(['2', '3', '4'])
    await store.acknowledgeEvents(retaken.map(event => event.id))
    expect(await store.claimEvents('one', 10, 0)).toEqual([])
    expect(await store.claimEvents('one', 0, 0)).toEqual([])
  })

  test('one noisy tenant loses the own events over the quota, others none', async () => {
    const store = fresh()
    const noisy = await Promise.all(Array.from({ length: 12 }, () => store.emitEvent('noisy', { type: 'x' }, 5)))
    expect(noisy.filter(outcome => outcome === 'stored')).toHaveLength(5)
    expect(await store.emitEvent('quiet', { type: 'x' }, 5)).toBe('stored')
    expect(await store.countDrops()).toEqual({ noisy: 7 })
    clock.advance(60_000)
    expect(await store.emitEvent('noisy', { type: 'x' }, 5)).toBe('stored')
    expect(await store.claimEvents('one', 100, 0)).toHaveLength(7)
    expect(await store.emitEvent('mute', { type: 'x' }, 0)).toBe('dropped')
    expect(await store.countDrops()).toEqual({ noisy: 7, mute: 1 })
  })

  test('counts what is discarded once, and does not hand it out again', async () => {
    const store = fresh()
    for (const n of ['1', '2', '3']) await store.emitEvent('t', { n }, 100)
    const ids = (await store.claimEvents('one', 2, 60_000)).map(event => event.id)
    await store.discardEvents([])
    await store.discardEvents(ids)
    await store.discardEvents(ids)
    expect(await store.countDrops()).toEqual({ malformed: 2 })
    const [last, ...more] = await store.claimEvents('two', 10, 0)
    expect([last?.fields, more]).toEqual([{ n: '3' }, []])
    await store.acknowledgeEvents([last?.id ?? ''])
    await store.discardEvents([last?.id ?? ''])
    expect(await store.countDrops()).toEqual({ malformed: 2 })
  })

  test('a new day does not touch what is open', async () => {
    const store = fresh()
    await store.emitEvent('t', { n: '1' }, 1)
    clock.advance(dayMs)
    expect(await store.claimEvents('one', 1, 0)).toHaveLength(1)
  })
}
