// An answer that scanners read: the rewriter with the scanners of some types and terms, and what it makes of pieces.
import type { Delta } from '../../../src/domain/conversation/answer.ts'
import type { EntityName, EntityType, Settings } from '../../../src/domain/settings/settings.ts'
import { AnswerRewriter } from '../../../src/guardrails/answers/answer-rewriter.ts'
import { createPiiScanner } from '../../../src/guardrails/answers/pii-scanner.ts'
import { createTermScanner } from '../../../src/guardrails/answers/term-scanner.ts'
import type { Vault } from '../../../src/guardrails/masking/vault.ts'
import { readPiiRules } from '../../../src/guardrails/pii-shield.ts'
import { createBlocklist } from '../../../src/guardrails/sentinel/blocklist.ts'
import { finish as finishWork } from '../../support/finish.ts'
import { type Channel, finish, pieceOf, saidIn } from '../masking/answers.ts'

export const structuredTypes: readonly EntityType[] = [
  'EMAIL_ADDRESS',
  'PHONE_NUMBER',
  'US_SSN',
  'CREDIT_CARD',
  'US_BANK_NUMBER',
  'IBAN_CODE',
  'IP_ADDRESS',
]

interface ScanOptions {
  types?: readonly EntityName[]
  customEntities?: Settings['custom_entities']
  terms?: readonly string[]
  vault?: Vault | null
  textIsJson?: boolean
  isEnforced?: boolean
}

/** `found` collects the types of the matches and `term`, in order. */
export function openScanned({
  types = [],
  customEntities = [],
  terms = [],
  vault = null,
  textIsJson = false,
  isEnforced = true,
}: ScanOptions) {
  const found: string[] = []
  const { states } = createBlocklist(terms)
  const pii_entities = Object.fromEntries(types.map(type => [type, 'MASK'] as const))
  const rules = finishWork(readPiiRules({ pii_entities, custom_entities: customEntities }))
  const createScanners = () => [
    {
      isEnforced,
      scanner: createPiiScanner({
        rules,
        replaces: isEnforced,
        report: finds => void found.push(...finds.map(({ type }) => type)),
      }),
    },
    ...(states === null
      ? []
      : [{ isEnforced, scanner: createTermScanner(states, new Set(), () => void found.push('term')) }]),
  ]
  const rewriter = new AnswerRewriter({ vault, textIsJson, scanning: { isEnforced, createScanners } })
  return { rewriter, found }
}

export function rewritePieces(options: ScanOptions, channel: Channel, pieces: readonly string[]): string {
  const { rewriter } = openScanned(options)
  const sent: Delta[] = pieces.flatMap((piece, at) => rewriter.rewrite([pieceOf(channel, piece, 0, at === 0)]))
  return saidIn(channel, [...sent, ...rewriter.rewrite([finish()])])
}

export function inPieces(text: string, length: number): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? []
}
