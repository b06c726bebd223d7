// Scans one answer for personal data, or for the terms of a blocklist: replaces or ends it as the settings say, and
// reports the matches once the answer has ended.

import { Refusal } from '../../domain/errors.ts'
import type { GuardrailVerdict } from '../../domain/metrics.ts'
import type { EntityName } from '../../domain/settings/settings.ts'
import { createPiiScanner } from '../../guardrails/answers/pii-scanner.ts'
import { createTermScanner } from '../../guardrails/answers/term-scanner.ts'
import type { Finding } from '../../guardrails/finding.ts'
import type { PiiRules } from '../../guardrails/pii-shield.ts'
import type { TermStates } from '../../guardrails/sentinel/blocklist.ts'
import { report } from './guard-run.ts'
import type { AnswerScan, CheckedSubject } from './guardrail.ts'

/** MASK acts as REDACT: there is nobody who could restore a value that the model wrote. */
export function scanAnswerForPii(subject: CheckedSubject<'pii'>, rules: PiiRules): AnswerScan {
  const isEnforced = subject.mode === 'enforce'
  const types = new Set<EntityName>()
  let count = 0
  const blockedAmong = (found: Iterable<EntityName>) =>
    [...new Set(found)].filter(type => rules.actions.get(type) === 'BLOCK').sort()

  function take(finds: readonly Finding[]): void {
    count += finds.length
    for (const { type } of finds) types.add(type)
    const blocked = blockedAmong(finds.map(({ type }) => type))
    if (!isEnforced || blocked.length === 0) return
    throw new Refusal('pii_blocked', { message: `Answer blocked: detected PII types [${blocked.join(', ')}]` })
  }

  return {
    createScanner: () => createPiiScanner({ rules, replaces: isEnforced, report: take }),
    conclude(): GuardrailVerdict {
      if (count === 0) return 'passed'
      const isBlocking = blockedAmong(types).length > 0
      const actionTaken = !isEnforced ? 'detected' : isBlocking ? 'blocked' : 'redacted'
      const type = isBlocking ? 'pii_block' : 'pii_detection'
      report(subject, { type, actionTaken, entityTypes: [...types], entityCount: count })
      return actionTaken
    },
  }
}

export function scanAnswerForTerms(subject: CheckedSubject<'sentinel'>, terms: TermStates): AnswerScan {
  const isEnforced = subject.mode === 'enforce'
  const found = new Set<number>()
  const end = () => {
    if (isEnforced) throw new Refusal('content_blocked', { message: 'Answer blocked: it contains a blocklisted term' })
  }
  return {
    createScanner: () => createTermScanner(terms, found, end),
    conclude(): GuardrailVerdict {
      if (found.size === 0) return 'passed'
      const actionTaken = isEnforced ? 'blocked' : 'detected'
      report(subject, { type: 'sentinel_blocklist', actionTaken, termCount: found.size })
      return actionTaken
    },
  }
}
