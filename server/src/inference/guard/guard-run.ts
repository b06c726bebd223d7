// Runs one guardrail on one request: limits its work, rejects the request if an enforced guardrail cannot run, and
// records metrics. Independent of the single guardrails.

import { hashUser } from '../../crypto/hash-user.ts'
import { Refusal } from '../../domain/errors.ts'
import type { GuardrailEvent } from '../../domain/guardrails/guardrail-event.ts'
import type { GuardrailEventType, GuardrailName } from '../../domain/guardrails/guardrails.ts'
import type { GuardrailVerdict } from '../../domain/metrics.ts'
import { createWorkBudget, type WorkBudget } from '../../guardrails/work-budget.ts'
import type { CheckedSubject, GuardedRequest } from './guardrail.ts'

/** Returns the work budget for these texts. Throws if they are larger than a guardrail scans. */
type OpenBudget = (texts: readonly string[]) => WorkBudget

/** Returns an error if an enforced guardrail could not run; else null. */
export async function run(
  { guardrail, direction, mode, verified, metrics, log }: GuardedRequest,
  check: (openBudget: OpenBudget) => Promise<GuardrailVerdict>,
): Promise<Refusal | null> {
  const startedAt = performance.now()
  let verdict: GuardrailVerdict = 'unavailable'
  try {
    verdict = await check(openBudget)
    return null
  } catch (error) {
    if (mode === 'enforce') return asRefusal(error)
    const { requestId, projectId } = verified
    log.warn('guardrail could not run', { request_id: requestId, project_id: projectId, reason: guardrail, error })
    return null
  } finally {
    metrics.guardrailChecked({ guardrail, direction }, verdict, performance.now() - startedAt)
  }
}

export function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('guardrail_unavailable', { cause: error })
}

const maxBytes = 2 * 1024 * 1024
/** More than any text needs, yet low enough that no crafted text can block the process. */
const stepsPerCharacter = 40
const freeSteps = 1_000_000

function openBudget(texts: readonly string[]): WorkBudget {
  const characters = texts.reduce((length, text) => length + text.length, 0)
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (characters * 3 > maxBytes) {
    if (bytesOf(texts) > maxBytes) throw new Refusal('guarded_text_too_large')
  }
  return createWorkBudget(freeSteps + stepsPerCharacter * characters)
}

const textsAtOnce = 512

/** One call for each of millions of short texts would hold the thread. */
function bytesOf(texts: readonly string[]): number {
  let bytes = 0
  for (let at = 0; at < texts.length; at += textsAtOnce)
    bytes += Buffer.byteLength(texts.slice(at, at + textsAtOnce).join(''))
  return bytes
}

type ReportedEvent<Name extends GuardrailName> = { type: GuardrailEventType<Name> } & Pick<
  GuardrailEvent,
  'actionTaken'
> &
  Partial<
    Pick<
      GuardrailEvent,
      'entityTypes' | 'entityCount' | 'patternFamily' | 'termCount' | 'score' | 'source' | 'variable'
    >
  >

export function report<Name extends GuardrailName>(subject: CheckedSubject<Name>, reported: ReportedEvent<Name>): void {
  const { direction, mode, verified, events, now } = subject
  const { tenantId, projectId, requestId, userId } = verified
  const timestamp = (now() / 1000).toFixed(3)
  const user = userId.startsWith('svc:') ? {} : { userId, userHash: hashUser({ projectId, userId }) }
  events.emit({ ...reported, ...user, mode, tenantId, projectId, requestId, direction, timestamp })
}
