// Stores responses that a client may read again or continue, for as long as the project's settings say. Each belongs to
// one project and one end user.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Verified } from '../../domain/caller.ts'
import type { ResponseOptions } from '../../domain/conversation/inference-request.ts'
import { type Message, textOf } from '../../domain/conversation/prompt.ts'
import { isResponseId } from '../../domain/conversation/response-id.ts'
import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import { JsonText, writeJson } from '../../domain/json/json-text.ts'
import { patchBody } from '../../domain/json/patch-body.ts'
import { parseTexts, writeText } from '../../domain/json/write-in-turns.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { Log } from '../../domain/log.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { addResponse, listChain } from '../../storage/conversations/stored-responses.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Reply } from '../../surfaces/surface.ts'
import type { Stage, Turn } from '../turn.ts'
import { arrangeMessages, withAnsweredCalls } from './arrange-messages.ts'
import { keepOrLog } from './keep-or-log.ts'

export interface ResponseMemory {
  /** Null if the response is neither stored nor continues a stored one. */
  open(verified: Verified, settings: Settings, options: ResponseOptions): Stage | null
}

interface ResponseMemoryDependencies {
  sql: Kysely<Schema>
  now: () => number
  log: Log
}

/** For projects that keep conversations until they are deleted. */
const defaultRetentionDays = 30

export function createResponseMemory(dependencies: ResponseMemoryDependencies): ResponseMemory {
  return {
    open(verified, settings, options) {
      if (options.previousId !== null) checkMayContinue(verified, settings)
      if (options.previousId === null && !isResponseStored(settings, options)) return null
      return new ResponseStage(dependencies, options)
    },
  }
}

/** Whether it is stored once it is complete. */
export function isResponseStored({ memory_enabled }: Settings, { wantsStore }: ResponseOptions): boolean {
  return memory_enabled && wantsStore
}

class ResponseStage implements Stage {
  /** False: it only continues a stored one. */
  readonly keepsAnswer: boolean
  readonly #dependencies: ResponseMemoryDependencies
  readonly #options: ResponseOptions

  constructor(dependencies: ResponseMemoryDependencies, options: ResponseOptions) {
    this.#dependencies = dependencies
    this.#options = options
    this.keepsAnswer = options.wantsStore
  }

  /** Adds the newest messages of the responses that it continues. */
  async prepare(turn: Turn): Promise<void> {
    const { sql, now } = this.#dependencies
    const { previousId } = this.#options
    if (previousId === null) return
    const { call, messages: said } = turn
    // The answer itself always comes, because its calls need their results.
    const last = Math.max(1, call.resolved.settings.memory_window)
    const isId = isResponseId(previousId)
    const chain = isId ? await listChain(sql, ownerOf(call.verified), previousId, { now: now(), last }) : null
    if (chain === null) throw new Refusal('response_not_found', { param: 'previous_response_id' })
    const messages = ((await parseTexts(chain.reverse())) as Message[][]).flat()
    turn.messages = arrangeMessages(withAnsweredCalls(messages.slice(-last), said), said)
  }

  async keep(turn: Turn, reply: Reply): Promise<void> {
    if (this.keepsAnswer) await keepOrLog(this.#dependencies.log, turn.call, () => this.#store(turn, reply))
  }

  async #store({ call, storedMessages, collected }: Turn, reply: Reply): Promise<void> {
    const body = await reply.stored?.()
    if (body === undefined) return
    // A large one is written, read and changed in turns of their own.
    await nextTurn()
    const said = JSON.parse(body) as JsonObject
    await nextTurn()
    const { sql, now } = this.#dependencies
    const { settings } = call.resolved
    const at = now()
    const [first] = storedMessages
    const hasInstructions = isLedByInstructions(settings, this.#options)
    const messages = [...(hasInstructions ? storedMessages.slice(1) : storedMessages), collected.message()]
    const instructions = hasInstructions && first !== undefined ? textOf(first.content) : null
    await addResponse(sql, ownerOf(call.verified), {
      id: String(said['id']),
      previousId: this.#options.previousId,
      body: await withInstructions(body, said, await writeText(instructions)),
      messages: await writeText(messages),
      messageCount: messages.length,
      createdAt: at,
      expiresAt: at + (settings.retention_days ?? defaultRetentionDays) * dayMs,
    })
  }
}

/** All else stays as the client got it, unless an object repeats a member. */
async function withInstructions(body: string, said: JsonObject, text: string): Promise<string> {
  const instructions = new JsonText(text)
  const bytes = Buffer.from(body)
  await nextTurn()
  const patched = patchBody(bytes, { instructions })
  await nextTurn()
  return patched === null ? writeJson({ ...said, instructions }) : Buffer.from(patched).toString('utf8')
}

function ownerOf({ projectId, userId }: Verified) {
  return { projectId, userId }
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
