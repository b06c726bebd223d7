// Names the cached answer of a request: by its end user or project, and a digest of everything that its answer depends
// on. The digest is keyed, so that nobody who reads the store can check which request an answer belongs to.

import { createHmac } from 'node:crypto'
import type { Verified } from '../../domain/caller.ts'
import { conversationOwner } from '../../domain/conversation/conversation-owner.ts'
import { sharedAnswersOf } from '../../domain/conversation/shared-answers.ts'
import { writeJson } from '../../domain/json/json-text.ts'
import { patchBody } from '../../domain/json/patch-body.ts'
import type { CacheScope } from '../../domain/settings/cache-rules.ts'
import type { Protocol } from '../../providers/protocols/protocol.ts'
import { promptForProvider } from '../attempt/start-attempt.ts'
import type { Turn } from '../turn.ts'

/** Changes when answers of an earlier version must not be found any more. */
const version = 2

/**
 * The request as the target's provider would get it, without what does not change the answer: the end user's hash, and
 * whether the answer comes as a stream. Throws if the provider's format cannot express the prompt.
 */
export function cacheKeyOf(turn: Turn, protocol: Protocol, scope: CacheScope, digestKey: Uint8Array): string {
  const { call, endpoint } = turn
  const { target } = turn.current
  const { model, facts, hasBaseUrlOverride } = target
  const prompt = { ...promptForProvider(turn, protocol), stream: false }
  const { path, query, headers, body, bytes, reading } = protocol.render(prompt, {
    model,
    facts,
    hasBaseUrlOverride,
    endUserHash: null,
  })
  const digest = createHmac('sha256', digestKey)
  // Another key may lead to another account, in which a model of the same name is another one.
  const place = [target.modelId, target.provider, target.baseUrl, target.query ?? null, target.credential]
  const read = [endpoint.name, protocol.wireFormat, reading]
  digest.update(writeJson([version, ...place, ...read, path, query ?? null, headers ?? null, body]))
  // A body has no two members of one name, so it can be patched.
  if (bytes !== undefined) digest.update('\n').update(patchBody(bytes, notInBody) ?? bytes)
  return `${ownerOf(call.verified, scope)}${digest.digest('base64url')}`
}

const notInBody = { stream: undefined }

function ownerOf(verified: Verified, scope: CacheScope): string {
  return scope === 'user' ? `${conversationOwner(verified)}:` : sharedAnswersOf(verified)
}
