// The part of the guardrails in one answer: checks what the provider gets, and has the answer rewritten and scanned.

import { asksForJson } from '../../domain/conversation/prompt.ts'
import { AnswerRewriter } from '../../guardrails/answers/answer-rewriter.ts'
import type { Vault } from '../../guardrails/masking/vault.ts'
import type { Stage, Turn } from '../turn.ts'
import type { AnswerGuard, Guard } from './guard.ts'
import { patchSource } from './patch-source.ts'
import { cannotBeRead } from './tokens-unread.ts'

export class GuardStage implements Stage {
  readonly #guard: Pick<Guard, 'check' | 'openAnswer'>
  #vault: Vault | null = null
  #scanning: AnswerGuard | null = null

  constructor(guard: Pick<Guard, 'check' | 'openAnswer'>) {
    this.#guard = guard
  }

  async prepare(turn: Turn): Promise<void> {
    const { call, endpoint } = turn
    if (call.resolved.guarded.requests) await this.#check(turn)
    if (endpoint.operation.scansAnswer) await this.#openRewriting(turn)
    // A stream may last longer than a vault's lifetime, even before its first event.
    if (turn.request.prompt.stream) this.#vault?.hold()
  }

  async #check(turn: Turn): Promise<void> {
    const { call, request } = turn
    const prompt = { ...request.prompt, messages: turn.messages }
    if (cannotBeRead(prompt, call.resolved.settings)) return
    const guarded = await this.#guard.check(call, prompt)
    this.#vault = guarded.vault
    const { source, messages } = turn
    turn.messages = guarded.messages
    if (source !== null && source.messages === messages && guarded.replacement !== null)
      turn.source = await patchSource(turn, source, guarded.messages, guarded.replacement)
    turn.storedMessages = guarded.forMemory(request.prompt.messages)
  }

  async #openRewriting(turn: Turn): Promise<void> {
    const { call, surface, request } = turn
    if (call.resolved.guarded.answers) this.#scanning = await this.#guard.openAnswer(call)
    const [vault, scanning] = [this.#vault, this.#scanning]
    if (vault === null && scanning === null) return
    const textIsJson = asksForJson(request.prompt.responseFormat)
    turn.rewriting = {
      rewriter: new AnswerRewriter({ vault, textIsJson, scanning, ordersParts: surface.ordersParts }),
      changes: vault !== null || scanning?.isEnforced === true,
    }
  }

  release(): void {
    this.#vault?.close()
    this.#scanning?.conclude()
  }
}
