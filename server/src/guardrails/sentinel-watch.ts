// Sentinel on the messages of one prompt, remembering what it made of those it has seen: each run of a user's messages that
// stand together is looked at once. Knows no request, no event and no error.

import type { Message, UserMessage } from '../domain/conversation/prompt.ts'
import type { KnownTexts } from './known-texts.ts'
import { patternFamilies } from './sentinel/pattern-families.ts'
import type { Sentinel, SentinelVerdict } from './sentinel/sentinel.ts'
import type { WorkBudget } from './work-budget.ts'

interface WatchParts {
  known: KnownTexts<SentinelVerdict>
  /** Whose texts these are, and the revision of the blocklist. */
  owner: string
  budget: WorkBudget
  /** An earlier verdict on an equal text is taken. */
  onReuse(): void
}

export async function watchMessages(
  { known, owner, budget, onReuse }: WatchParts,
  sentinel: Sentinel,
  messages: readonly Message[],
): Promise<SentinelVerdict> {
  const verdicts: SentinelVerdict[] = []
  const withTerms: UserMessage[][] = []
  for (const run of runsOf(messages)) {
    const { text, revision } = nameOf(run)
    let verdict = known.find(text, `${owner} ${revision}`)
    if (verdict !== undefined) onReuse()
    else {
      verdict = await sentinel.scan(run, budget)
      known.keep(text, `${owner} ${revision}`, verdict)
      await budget.breathe()
    }
    verdicts.push(verdict)
    if (verdict.terms > 0) withTerms.push(run)
  }
  const found = new Set(verdicts.flatMap(({ families }) => families))
  return {
    families: patternFamilies.filter(family => found.has(family)),
    terms: await countTerms(sentinel, verdicts, withTerms, budget),
  }
}

/** Which terms a run had is not known afterwards: where several had some, all of them are counted at once. */
async function countTerms(
  sentinel: Sentinel,
  verdicts: readonly SentinelVerdict[],
  withTerms: readonly UserMessage[][],
  budget: WorkBudget,
): Promise<number> {
  if (withTerms.length < 2) return verdicts.reduce((most, { terms }) => Math.max(most, terms), 0)
  const between: Message = { role: 'assistant', content: null, toolCalls: [], reasoningDetails: [] }
  const { terms } = await sentinel.scan(
    withTerms.flatMap(run => [...run, between]),
    budget,
  )
  return terms
}

function* runsOf(messages: readonly Message[]): Generator<UserMessage[]> {
  let run: UserMessage[] = []
  for (const message of messages) {
    if (message.role === 'user') run.push(message)
    else if (run.length > 0) {
      yield run
      run = []
    }
  }
  if (run.length > 0) yield run
}

/** Where the pieces are cut makes a difference to what is found, so it is a part of the name. */
function nameOf(run: readonly UserMessage[]): { text: string; revision: string } {
  const [only] = run
  if (run.length === 1 && typeof only?.content === 'string') return { text: only.content, revision: '' }
  const pieces = run.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.map(part => (part.type === 'text' ? part.text : '')),
  )
  return { text: pieces.join(''), revision: pieces.map(piece => piece.length).join(' ') }
}
