// Answers a request with the answer that an equal request was given, and keeps the answers that may be given again. An
// unavailable store means a miss, never an error.

import { cacheHeader } from '../../call/inference-port.ts'
import { deriveKey } from '../../crypto/secrets/derive-key.ts'
import type { Verified } from '../../domain/caller.ts'
import type { AnswerEvent, Delta } from '../../domain/conversation/answer.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { CacheOutcome, Metrics } from '../../domain/metrics.ts'
import type { CacheRules } from '../../domain/settings/cache-rules.ts'
import type { CachedAnswers } from '../../kv/cached-answers.ts'
import { kindOfError, sparseLogOf } from '../../log/sparse-log.ts'
import type { Protocol } from '../../providers/protocols/protocol.ts'
import type { UpstreamAnswer } from '../attempt/attempt.ts'
import type { CallableTarget, Stage, Turn, TurnRequest } from '../turn.ts'
import { AnswerRecorder } from './answer-recorder.ts'
import { cacheKeyOf } from './cache-key.ts'
import { wantsCache } from './cache-wish.ts'
import { openAnswer, sealAnswer } from './sealed-answer.ts'

export interface AnswerCache {
  /** The project has a cache. Null if it is not used for the request. Throws if the request's header is invalid. */
  open(given: Pick<TurnRequest, 'call' | 'request'>, rules: CacheRules): Stage | null
}

interface CacheDependencies {
  kv: Pick<CachedAnswers, 'keepAnswer' | 'findAnswer'>
  /** The keys of each project's answers are derived from it. */
  maskingKey: Uint8Array
  metrics: Pick<Metrics, 'cacheLookedUp'>
  now: () => number
  log: Log
}

export function createAnswerCache(dependencies: CacheDependencies): AnswerCache {
  return {
    open: ({ call, request }, rules) =>
      wantsCache(call.request.headers, request.prompt) ? new CacheStage(dependencies, rules) : null,
  }
}

class CacheStage implements Stage {
  readonly keepsAnswer = true
  readonly #dependencies: CacheDependencies
  readonly #rules: CacheRules
  /** Null unless the answer may be kept. */
  #miss: CacheMiss | null = null

  constructor(dependencies: CacheDependencies, rules: CacheRules) {
    this.#dependencies = dependencies
    this.#rules = rules
  }

  /** Looks only for an answer of the first target, whatever its breaker says. */
  async findAnswer(turn: Turn): Promise<UpstreamAnswer | null> {
    const { metrics, maskingKey } = this.#dependencies
    const { call, current } = turn
    const rules = this.#rules
    const keys = deriveKeys(maskingKey, call.verified)
    const name = current.protocol === null ? null : findKey(turn, current.protocol, rules, keys)
    if (name === null) return null
    const { outcome, deltas } = await find(this.#dependencies, { name, keys, rules })
    metrics.cacheLookedUp(outcome)
    call.response.setHeader(cacheHeader, deltas === null ? 'miss' : 'hit')
    turn.isPaid = deltas !== null
    if (deltas !== null) return createHit(deltas)
    this.#miss = { name, keys, target: current, recorder: new AnswerRecorder(turn.messages.length) }
    return null
  }

  take(events: readonly AnswerEvent[]): void {
    this.#miss?.recorder.take(events)
  }

  async keep(turn: Turn): Promise<void> {
    const deltas = this.#miss?.recorder.whole() ?? null
    if (this.#miss === null || deltas === null) return
    this.#store(turn, this.#miss, deltas)
    // The store is written to at the end of this turn. Before that, an equal request right after this answer could be a
    // miss in another process.
    await new Promise(resolve => setImmediate(resolve))
  }

  /** Does not wait for the store. */
  #store(turn: Turn, { name, keys, target }: CacheMiss, deltas: readonly Delta[]): void {
    const { kv, now, log } = this.#dependencies
    const { scope, ttl_seconds } = this.#rules
    const { protocol } = turn.current
    if (protocol === null) return
    const warn = (error: unknown) => sparseLogOf(log).warn('answer could not be cached', kindOfError(error), { error })
    try {
      // Another target than the first one may have answered.
      const kept = turn.current === target ? name : cacheKeyOf(turn, protocol, scope, keys.digest)
      kv.keepAnswer(kept, sealAnswer(keys.seal, kept, { at: now(), deltas }), ttl_seconds).catch(warn)
    } catch (error) {
      warn(error)
    }
  }
}

interface CacheMiss {
  name: string
  keys: ProjectKeys
  /** The one that the name is of. */
  target: CallableTarget
  recorder: AnswerRecorder
}

/** Null if the target cannot be given: another one may be, and otherwise it is refused when it is given. */
function findKey(turn: Turn, protocol: Protocol, { scope }: CacheRules, { digest }: ProjectKeys): string | null {
  try {
    return cacheKeyOf(turn, protocol, scope, digest)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

interface ProjectKeys {
  digest: Uint8Array
  seal: Uint8Array
}

/** Where an answer is kept, and for how long. */
interface CachePlace {
  name: string
  keys: ProjectKeys
  rules: CacheRules
}

function deriveKeys(secret: Uint8Array, { tenantId, projectId }: Verified): ProjectKeys {
  return {
    digest: deriveKey(secret, ['cache-keys', tenantId, projectId]),
    seal: deriveKey(secret, ['cached-answers', tenantId, projectId]),
  }
}

interface Lookup {
  outcome: CacheOutcome
  /** Null unless the outcome is a hit. */
  deltas: readonly Delta[] | null
}

async function find({ kv, now, log }: CacheDependencies, { name, keys, rules }: CachePlace): Promise<Lookup> {
  try {
    const sealed = await kv.findAnswer(name)
    const answer = sealed === null ? null : openAnswer(keys.seal, name, sealed)
    // The lifetime that the project has now, if it was longer when the answer was kept.
    const isFresh = answer !== null && now() < answer.at + rules.ttl_seconds * 1_000
    return isFresh ? { outcome: 'hit', deltas: answer.deltas } : { outcome: 'miss', deltas: null }
  } catch (error) {
    sparseLogOf(log).warn('cached answer could not be read', kindOfError(error), { error })
    return { outcome: 'failed', deltas: null }
  }
}

function createHit(deltas: readonly Delta[]): UpstreamAnswer {
  return {
    begin(consumer) {
      consumer.onEvents([{ deltas: [...deltas], raw: null }])
      consumer.onEnd(null)
    },
    resume: () => undefined,
    abort: () => null,
  }
}
