// Runs one guardrail on one answer, piece by piece: ends the answer if an enforced guardrail cannot run, and records
// metrics once the answer has ended. Independent of the single guardrails.

import { Refusal } from '../../domain/errors.ts'
import type { AnswerText, ScannerOfText, TextScanner } from '../../guardrails/answers/answer-text.ts'
import { asRefusal } from './guard-run.ts'
import type { AnswerScan, CheckedSubject } from './guardrail.ts'

export class AnswerCheck {
  readonly #subject: CheckedSubject
  readonly #scan: AnswerScan
  #ms = 0
  #hasFailed = false

  constructor(subject: CheckedSubject, scan: AnswerScan) {
    this.#subject = subject
    this.#scan = scan
  }

  get isEnforced(): boolean {
    return this.#subject.mode === 'enforce'
  }

  createScanner(): ScannerOfText {
    const scanner = this.#scan.createScanner()
    return { scanner: { read: (text, isWhole) => this.#read(scanner, text, isWhole) }, isEnforced: this.isEnforced }
  }

  /** The answer has ended. */
  conclude(): void {
    const verdict = this.#scan.conclude()
    const { guardrail, direction, metrics } = this.#subject
    metrics.guardrailChecked({ guardrail, direction }, this.#hasFailed ? 'unavailable' : verdict, this.#ms)
  }

  #read(scanner: TextScanner, text: AnswerText, isWhole: boolean): number {
    const end = text.base + text.view.length
    if (this.#hasFailed) return end
    const startedAt = performance.now()
    try {
      return scanner.read(text, isWhole)
    } catch (error) {
      if (error instanceof Refusal) throw error
      this.#hasFailed = true
      if (this.isEnforced) throw asRefusal(error)
      const { guardrail, verified, log } = this.#subject
      const { requestId, projectId } = verified
      log.warn('guardrail could not run', { request_id: requestId, project_id: projectId, reason: guardrail, error })
      return end
    } finally {
      this.#ms += performance.now() - startedAt
    }
  }
}
