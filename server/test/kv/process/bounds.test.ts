// Tests that the store in the process is bounded in size and in time.
import { describe, expect, test } from 'vitest'
import { createProcessActivity } from '../../../src/kv/process/activity.ts'
import { createProcessCachedAnswers } from '../../../src/kv/process/cached-answers.ts'
import { createProcessConversations } from '../../../src/kv/process/conversations.ts'
import { createProcessEvents } from '../../../src/kv/process/events.ts'
import { createSpendTable } from '../../../src/kv/process/spend-table.ts'
import { createWindowTable } from '../../../src/kv/window-table.ts'

const dayMs = 86_400_000

describe('the store in the process', () => {
  test('forgets closed windows, and the oldest where too many are open', () => {
    const windows = createWindowTable(100)
    for (let i = 0; i < 100; i += 1) windows.write(`w${i}`, 1, i < 50 ? 10 : 1_000, 0)
    windows.write('new', 1, 1_000, 20)
    expect(windows.count()).toBe(51)
    for (let i = 0; i < 500; i += 1) windows.write(`x${i}`, 1, 1_000, 20)
    expect(windows.count()).toBeLessThanOrEqual(100)
    expect(windows.read('x499', 20)).toEqual({ count: 1, endsAt: 1_000 })
    windows.sweep(1_000)
    expect(windows.count()).toBe(0)
  })

  test('forgets days that nothing can be settled in any more', () => {
    const spend = createSpendTable()
    const days = [100, 101, 102, 103]
    for (const day of days) spend.raiseDay('p', day, 5, { u: 5 })
    spend.sweep(103 * dayMs)
    expect(days.map(day => spend.readDay('p', day, 'u').project.spent)).toEqual([0, 5, 5, 5])
  })

  test('forgets the conversation used longest ago where they grow too large, and all past their life', async () => {
    let time = 0
    const { intentions, sweep, count } = createProcessConversations(() => time, 40_000)
    const bounds = { keep: 10, ttlSeconds: 60 }
    for (const key of ['a', 'b', 'c']) await intentions.appendTurn(key, ['x'.repeat(5_000)], bounds)
    await intentions.recallTurns('a', 1, 60)
    await intentions.appendTurn('d', ['x'.repeat(5_000)], bounds)
    expect(await intentions.recallTurns('b', 1, 60)).toEqual([])
    for (const key of ['a', 'c', 'd']) expect(await intentions.recallTurns(key, 1, 60)).toHaveLength(1)
    time = 60_000
    sweep(time)
    expect(count()).toBe(0)
  })

  test('forgets cached answers past their life', async () => {
    const { intentions, sweep, count } = createProcessCachedAnswers(() => 0, 100_000)
    await intentions.keepAnswer('a', 'x', 60)
    await intentions.keepAnswer('b', 'x', 61)
    sweep(60_000)
    expect(count()).toBe(1)
  })

  test('counts the activity of at most two thousand projects in a minute', async () => {
    let time = 0
    const { addActivity, findActivity } = createProcessActivity(() => time)
    const entriesOf = (first: number) =>
      Array.from({ length: 1_500 }, (_, at) => ({ projectId: `p${first + at}`, counts: { requests: 1 } }))
    const countOf = async (at: number) => (await findActivity(`p${at}`)).minutes.map(({ counts }) => counts['requests'])
    for (const first of [0, 1_500, 0]) await addActivity(entriesOf(first))
    expect([await countOf(0), await countOf(1_999), await countOf(2_000)]).toEqual([[2], [1], []])
    time = 60_000
    await addActivity(entriesOf(1_500))
    expect([await countOf(0), await countOf(1_999), await countOf(2_000)]).toEqual([[2], [1, 1], [1]])
  })

  test('drops and counts the oldest unread events beyond the length of the stream', async () => {
    const events = createProcessEvents(createWindowTable(), () => 0, 3)
    for (let i = 0; i < 5; i += 1) await events.emitEvent('t', { n: String(i) }, 100)
    expect(await events.countDrops()).toEqual({ '': 2 })
    const taken = await events.claimEvents('one', 10, 1_000)
    expect(taken.map(event => event.fields['n'])).toEqual(['2', '3', '4'])
    await events.emitEvent('t', { n: 'unread while three are pending' }, 100)
    expect(await events.countDrops()).toEqual({ '': 3 })
  })
})
