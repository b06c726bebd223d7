// Stores responses that a client may read again or continue, for as long as the project's settings say. Each belongs to
// one project and one end user.

import type { Kysely } from 'kysely'
import type { Verified } from '../../domain/caller.ts'
import type { ResponseOptions } from '../../domain/conversation/inference-request.ts'
import { type AssistantMessage, type Message, textOf } from '../../domain/conversation/prompt.ts'
import { isResponseId } from '../../domain/conversation/response-id.ts'
import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { addResponse, listChain } from '../../storage/conversations/stored-responses.ts'
import type { Schema } from '../../storage/schema.ts'
import { withAnsweredCalls } from './arrange-messages.ts'

/** The stored side of one response. */
export interface StoredResponse {
  /** False: it only continues a stored one. */
  readonly isStored: boolean
  /** The newest messages of the responses that it continues, oldest first, such that `said` may follow them. */
  recall(said: readonly Message[]): Promise<Message[]>
  /** Stores the complete response; no-op if it must not be stored. */
  keep(turn: KeptTurn): Promise<void>
}

export interface KeptTurn {
  /** What the request brought, as memory keeps it. */
  said: readonly Message[]
  answer: AssistantMessage
  /** As the client gets it. */
  body: JsonObject
}

export interface ResponseMemory {
  /** Null if the answer is no response, or neither stored nor continues a stored one. */
  open(verified: Verified, settings: Settings, options: ResponseOptions | undefined): StoredResponse | null
}

interface ResponseMemoryDependencies {
  sql: Kysely<Schema>
  now: () => number
}

/** For projects that keep conversations until they are deleted. */
const defaultRetentionDays = 30

export function createResponseMemory({ sql, now }: ResponseMemoryDependencies): ResponseMemory {
  return {
    open(verified, settings, options) {
      if (options === undefined) return null
      const { previousId, wantsStore } = options
      if (previousId !== null) checkMayContinue(verified, settings)
      if (!settings.memory_enabled || (previousId === null && !wantsStore)) return null
      const { projectId, userId } = verified
      const owner = { projectId, userId }
      return {
        isStored: wantsStore,
        async recall(said) {
          if (previousId === null) return []
          // The answer itself always comes, because its calls need their results.
          const last = Math.max(1, settings.memory_window)
          const isId = isResponseId(previousId)
          const chain = isId ? await listChain(sql, owner, previousId, { now: now(), last }) : null
          if (chain === null) throw new Refusal('response_not_found', { param: 'previous_response_id' })
          const messages = chain.reverse().flatMap(text => JSON.parse(text) as Message[])
          return withAnsweredCalls(messages.slice(-last), said)
        },
        async keep({ said, answer, body }) {
          if (!wantsStore) return
          const at = now()
          const [first] = said
          const hasInstructions = isLedByInstructions(settings, options)
          const messages = [...(hasInstructions ? said.slice(1) : said), answer]
          const instructions = hasInstructions && first !== undefined ? textOf(first.content) : null
          await addResponse(sql, owner, {
            id: String(body['id']),
            previousId,
            body: JSON.stringify({ ...body, instructions }),
            messages: JSON.stringify(messages),
            messageCount: messages.length,
            createdAt: at,
            expiresAt: at + (settings.retention_days ?? defaultRetentionDays) * dayMs,
          })
        },
      }
    },
  }
}

function checkMayContinue({ threadId, sessionId }: Verified, { memory_enabled }: Settings): void {
  const param = 'previous_response_id'
  if (!memory_enabled) {
    const message = `${param} is not supported: this project does not store responses; send the whole input`
    throw new Refusal('invalid_request', { message, param })
  }
  if (threadId === null && sessionId === null) return
  const header = threadId === null ? 'X-Session-Id' : 'X-Thread-Id'
  throw new Refusal('invalid_request', { message: `${param} must not be sent with ${header}`, param })
}

/** Instructions are the first message, unless the project drops them. */
function isLedByInstructions({ client_system_messages: rule }: Settings, { echo }: ResponseOptions): boolean {
  return rule === 'allow' && Boolean(echo['instructions'])
}
