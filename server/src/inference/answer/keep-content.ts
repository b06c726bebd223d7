// The part of the request log in one answer, where a project keeps content: takes the messages once no step changes
// them any more, and the answer as the provider sends it.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { Message } from '../../domain/conversation/prompt.ts'
import { keepAnswer, keepMessages } from '../../domain/requests/kept-content.ts'
import type { RequestContent } from '../../storage/request-log/request-content.ts'
import type { Stage, Turn, TurnRequest } from '../turn.ts'
import { Collected } from './collect-answer.ts'

/** Must come after the guardrails in the list of stages, and before the cache. */
export class ContentStage implements Stage {
  readonly #content: Pick<RequestContent, 'add'>
  readonly #call: TurnRequest['call']
  readonly #answer = new Collected(true)
  /** Null if the request was refused: nobody got its messages. */
  #messages: readonly Message[] | null = null

  constructor(content: Pick<RequestContent, 'add'>, { call }: TurnRequest) {
    this.#content = content
    this.#call = call
  }

  /** All stages have prepared the request. */
  async findAnswer({ messages }: Turn): Promise<null> {
    this.#messages = messages
    return null
  }

  take(events: readonly AnswerEvent[]): void {
    for (const { deltas } of events) for (const delta of deltas) this.#answer.kept?.take(delta)
  }

  release(): void {
    if (this.#messages === null) return
    const { projectId, requestId, userId } = this.#call.verified
    const content = { ...keepMessages(this.#messages), answer: keepAnswer(this.#answer.message()) }
    this.#content.add({ projectId, requestId }, userId, content)
  }
}
