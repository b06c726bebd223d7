// The part of the reasoning carrier in one answer: gives the provider back what the client left out of its tool calls,
// and keeps what it will want back.

import type { Stage, Turn, TurnRequest } from '../turn.ts'
import type { ReasoningCarrier } from './carry-reasoning.ts'

export class ReasoningStage implements Stage {
  readonly keepsAnswer: boolean
  readonly #carrier: ReasoningCarrier

  constructor(carrier: ReasoningCarrier, { endpoint, request }: TurnRequest) {
    this.#carrier = carrier
    this.keepsAnswer = endpoint.operation.remembers && request.prompt.tools.length > 0
  }

  async prepare(turn: Turn): Promise<void> {
    const { call, callable, request, messages } = turn
    const targets = callable.map(({ target }) => target)
    const filled = await this.#carrier.fill(call.verified, targets, { ...request.prompt, messages })
    if (filled !== null) turn.messages = filled.messages
  }

  async keep({ call, current, collected }: Turn): Promise<void> {
    if (this.keepsAnswer) await this.#carrier.keep(call.verified, current.target.provider, collected.message())
  }
}
