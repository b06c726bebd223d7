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
import type { Turn } from '../turn.ts'
import { AnswerRecorder } from './answer-recorder.ts'
import { cacheKeyOf } from './cache-key.ts'
import type { CacheUse } from './cache-use.ts'
import { wantsCache } from './cache-wish.ts'
import { openAnswer, sealAnswer } from './sealed-answer.ts'

export interface AnswerCache {
  /** Looks the request up; null if the cache is not used for it. Throws if its header is invalid. */
  open(turn: Turn, protocol: Protocol): Promise<CacheUse | null>
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
    async open(turn, protocol) {
      const { call, endpoint, request } = turn
      const rules = call.resolved.settings.cache
      if (rules === null || !wantsCache(call.request.headers, request.prompt)) return null
      if (!endpoint.operation.caches) return null
      const keys = deriveKeys(dependencies.maskingKey, call.verified)
      const name = findKey(turn, protocol, rules, keys)
      if (name === null) return null
      const { outcome, deltas } = await find(dependencies, { name, keys, rules })
      dependencies.metrics.cacheLookedUp(outcome)
      call.response.setHeader(cacheHeader, deltas === null ? 'miss' : 'hit')
      return deltas === null ? new CacheMiss(dependencies, turn, { name, keys, rules }) : createHit(deltas)
    },
  }
}

/** Null if the target cannot be asked: another one may be, and otherwise it is refused when it is asked. */
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

class CacheMiss implements CacheUse {
  readonly hit = null
  readonly #dependencies: CacheDependencies
  readonly #turn: Turn
  readonly #target: Turn['target']
  readonly #place: CachePlace
  readonly #recorder: AnswerRecorder

  constructor(dependencies: CacheDependencies, turn: Turn, place: CachePlace) {
    this.#dependencies = dependencies
    this.#turn = turn
    this.#target = turn.target
    this.#place = place
    this.#recorder = new AnswerRecorder(turn.messages.length)
  }

  take(events: readonly AnswerEvent[]): void {
    this.#recorder.take(events)
  }

  keep({ target, protocol }: Parameters<CacheUse['keep']>[0]): void {
    const { kv, now, log } = this.#dependencies
    const { name, keys, rules } = this.#place
    const deltas = this.#recorder.whole()
    if (deltas === null || protocol === null) return
    const warn = (error: unknown) => sparseLogOf(log).warn('answer could not be cached', kindOfError(error), { error })
    try {
      // Another target than the first one may have answered.
      const isFirst = target === this.#target
      const kept = isFirst ? name : cacheKeyOf({ ...this.#turn, target }, protocol, rules.scope, keys.digest)
      kv.keepAnswer(kept, sealAnswer(keys.seal, kept, { at: now(), deltas }), rules.ttl_seconds).catch(warn)
    } catch (error) {
      warn(error)
    }
  }
}

function createHit(deltas: readonly Delta[]): CacheUse {
  return {
    hit: {
      begin(consumer) {
        consumer.onEvents([{ deltas: [...deltas], raw: null }])
        consumer.onEnd(null)
      },
      resume: () => undefined,
      abort: () => null,
    },
    take: () => undefined,
    keep: () => undefined,
  }
}
