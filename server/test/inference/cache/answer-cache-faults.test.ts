// Tests what the cache does with the store and with time: a store that fails is a miss, what it keeps cannot be read
// without the project's key, and an answer lives as long as the project says now.

import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/domain/errors.ts'
import { type AnswerCache, createAnswerCache } from '../../../src/inference/cache/answer-cache.ts'
import { openAnswer, sealAnswer } from '../../../src/inference/cache/sealed-answer.ts'
import type { Stage } from '../../../src/inference/turn.ts'
import type { CachedAnswers } from '../../../src/kv/cached-answers.ts'
import { createProcessCachedAnswers } from '../../../src/kv/process/cached-answers.ts'
import { StoreUnavailable } from '../../../src/kv/store.ts'
import { createLog } from '../../../src/log/log.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'

const told = { text: ['The colour ', 'is teal.'] }
const fixed = { temperature: 0 }
const settings = { cache: { ttl_seconds: 60, scope: 'user' as const } }

interface Options {
  kv?: Partial<CachedAnswers>
  now?: () => number
}

/** A chat with a cache of its own, and what the cache kept, logged and counted. */
function cacheOf({ kv = {}, now = () => 0 }: Options = {}) {
  const store = createProcessCachedAnswers(now, 10_000_000).intentions
  const kept: { key: string; answer: string }[] = []
  const lines: string[] = []
  const outcomes: string[] = []
  const answerCache = createAnswerCache({
    kv: {
      findAnswer: store.findAnswer,
      async keepAnswer(key, answer, ttlSeconds) {
        kept.push({ key, answer })
        await store.keepAnswer(key, answer, ttlSeconds)
      },
      ...kv,
    },
    maskingKey: Buffer.alloc(32, 7),
    metrics: { cacheLookedUp: outcome => void outcomes.push(outcome) },
    now,
    log: createLog({ level: 'warn', destination: { write: line => void lines.push(line) } }),
  })
  return { answerCache, kept, lines, outcomes, store }
}

const open = (answerCache: AnswerCache, options: Parameters<typeof openChat>[1] = {}) =>
  openChat(({ body }) => say('openai', told, JSON.parse(body).stream === true), {
    settings,
    ...options,
    parts: { answerCache },
  })

describe('a store that is unavailable', () => {
  const fail = async () => {
    throw new StoreUnavailable('TIMEOUT')
  }

  test('is a miss when it is read', async () => {
    const cache = cacheOf({ kv: { findAnswer: fail } })
    const chat = await open(cache.answerCache)
    for (const stream of [false, true]) expect(await chat.ask({ ...fixed, stream })).toMatchObject({ status: 200 })
    expect(chat.upstream.requests).toHaveLength(2)
    expect(cache.outcomes).toEqual(['failed', 'failed'])
    expect(cache.lines.join()).toContain('cached answer could not be read')
  })

  test('keeps nothing when it is written, and the answer is whole', async () => {
    const cache = cacheOf({ kv: { keepAnswer: fail } })
    const chat = await open(cache.answerCache)
    for (let times = 0; times < 2; times++) expect((await chat.ask(fixed)).text).toContain('teal')
    expect(cache.outcomes).toEqual(['miss', 'miss'])
    expect(cache.lines.join()).toContain('answer could not be cached')
  })
})

describe('what the store keeps', () => {
  test('shows nothing of the request and its answer', async () => {
    const cache = cacheOf()
    const chat = await open(cache.answerCache)
    await chat.ask({ ...fixed, messages: [{ role: 'user', content: 'Which colour?' }] })
    const [entry] = cache.kept
    expect(cache.kept).toHaveLength(1)
    const bytes = Buffer.from(entry?.answer ?? '', 'base64')
    for (const text of [entry?.key ?? '', entry?.answer ?? '', bytes.toString('latin1')]) {
      expect(text).not.toMatch(/colour|teal|alice/)
    }
  })

  test('is read with the same key and under the same name only', () => {
    const key = Buffer.alloc(32, 1)
    const answer = { at: 5, deltas: [{ type: 'text' as const, choice: 0, text: 'Hello' }] }
    const sealed = sealAnswer(key, 'name', answer)
    expect(openAnswer(key, 'name', sealed)).toEqual(answer)
    expect(sealAnswer(key, 'name', answer)).not.toBe(sealed)
    expect(openAnswer(Buffer.alloc(32, 2), 'name', sealed)).toBeNull()
    expect(openAnswer(key, 'other', sealed)).toBeNull()
    expect(openAnswer(key, 'name', '')).toBeNull()
    expect(openAnswer(key, 'name', `${sealed.slice(0, -8)}AAAAAAA=`)).toBeNull()
  })

  test('is a miss if somebody has changed it', async () => {
    const cache = cacheOf()
    const chat = await open(cache.answerCache)
    await chat.ask(fixed)
    await cache.store.keepAnswer(cache.kept[0]?.key ?? '', 'AAAA', 60)
    expect(await chat.ask(fixed)).toMatchObject({ status: 200 })
    expect(cache.outcomes).toEqual(['miss', 'miss'])
  })

  test('is bounded: a longer answer is not kept', async () => {
    const cache = cacheOf()
    const long = { text: ['x'.repeat(600_000), 'x'.repeat(600_000)] }
    const chat = await openChat(({ body }) => say('openai', long, JSON.parse(body).stream === true), {
      settings,
      parts: { answerCache: cache.answerCache },
    })
    for (const stream of [false, true])
      expect((await chat.ask({ ...fixed, stream })).text.length).toBeGreaterThan(1_200_000)
    expect(cache.kept).toEqual([])
  })
})

test('an answer is given again for as long as the project says now', async () => {
  let time = 1_000_000
  const cache = cacheOf({ now: () => time })
  const chat = await open(cache.answerCache)
  await chat.ask(fixed)
  time += 59_999
  await chat.ask(fixed)
  time += 1
  await chat.ask(fixed)
  expect(cache.outcomes).toEqual(['miss', 'hit', 'miss'])
})

test('a lifetime that was shortened holds for answers that were kept before', async () => {
  let time = 1_000_000
  const cache = cacheOf({ now: () => time })
  const rules = { ttl_seconds: 3600, scope: 'user' as 'user' | 'project' }
  const chat = await open(cache.answerCache, { settings: { cache: rules } })
  await chat.ask(fixed)
  time += 60_000
  await chat.ask(fixed)
  rules.ttl_seconds = 60
  await chat.ask(fixed)
  expect(cache.outcomes).toEqual(['miss', 'hit', 'miss'])
})

test('a call that has to end while the store is read gets no answer', async () => {
  const cache = cacheOf()
  let wait: () => Promise<void> | void = () => undefined
  const slow: AnswerCache = {
    open(asked, rules) {
      const stage = getStage(cache.answerCache.open(asked, rules))
      return {
        async findAnswer(turn) {
          const answer = await stage.findAnswer(turn)
          await wait()
          return answer
        },
        take: (events, turn) => stage.take(events, turn),
        keep: (turn, reply) => stage.keep(turn, reply),
      }
    },
  }
  const chat = await open(slow)
  await chat.ask(fixed)
  wait = () => chat.end('service_disabled')
  for (const stream of [false, true]) {
    expect(await chat.ask({ ...fixed, stream })).toMatchObject({ status: new Refusal('service_disabled').row.status })
  }
  expect(cache.outcomes).toEqual(['miss', 'hit', 'hit'])
  expect(chat.rows).toHaveLength(1)
})

test('a project without a cache never asks it', async () => {
  const chat = await open(
    {
      open: () => {
        throw new Error('was asked')
      },
    },
    { settings: { cache: null } },
  )
  expect(await chat.ask(fixed)).toMatchObject({ status: 200 })
})

test('an answer of another target than the first one is kept for that target', async () => {
  const cache = cacheOf()
  const swapping: AnswerCache = {
    open(asked, rules) {
      const stage = getStage(cache.answerCache.open(asked, rules))
      return {
        findAnswer: turn => stage.findAnswer(turn),
        take: (events, turn) => stage.take(events, turn),
        keep(turn, reply) {
          const target = { ...turn.current.target, modelId: 'openai/gpt-4o', model: 'gpt-4o' }
          return stage.keep({ ...turn, current: { ...turn.current, target } }, reply)
        },
      }
    },
  }
  const chat = await open(swapping)
  await chat.ask(fixed)
  await chat.ask(fixed)
  expect(cache.outcomes).toEqual(['miss', 'miss'])
  expect(cache.kept[1]?.key).toBe(cache.kept[0]?.key)
})

/** The stage with all the methods that a cache has. */
function getStage(stage: Stage | null) {
  if (stage?.findAnswer === undefined || stage.take === undefined || stage.keep === undefined) {
    throw new Error('the cache is not used')
  }
  return {
    findAnswer: stage.findAnswer.bind(stage),
    take: stage.take.bind(stage),
    keep: stage.keep.bind(stage),
  }
}
