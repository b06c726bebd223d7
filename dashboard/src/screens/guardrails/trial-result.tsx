// The result of a trial: the verdict, the texts with their matches marked, what Sentinel says, and what the provider
// gets.
import type { ManagementRoutes } from '@sallyport/sdk'
import type { SettingsDraft } from '../../api/draft.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { formatCountOf } from '../../ui/numbers.ts'
import { MarkedText } from './marked-text.tsx'
import { nameOfEntity, nameOfFamily } from './names.ts'

type Trial = ManagementRoutes['POST /auth/v1/projects/{projectId}/guardrails/try']['output']

/** A trial with the draft that it is about, which may change afterwards. */
export interface TriedMessages {
  draft: SettingsDraft
  trial: Trial
}

const verdicts: Record<Trial['would'], { tone: 'good' | 'warn' | 'danger'; word: string; outcome: string }> = {
  pass: { tone: 'good', word: 'Passes', outcome: 'the provider gets the text as it is.' },
  mask: { tone: 'warn', word: 'Masked', outcome: 'the provider gets tokens, and the answer has the values again.' },
  redact: { tone: 'warn', word: 'Redacted', outcome: 'the provider gets the text without the redacted values.' },
  block: { tone: 'danger', word: 'Blocked', outcome: 'the request is rejected, and the provider gets nothing.' },
}

export function TrialResult({ tried, isOutdated }: { tried: TriedMessages; isOutdated: boolean }) {
  const { draft, trial } = tried
  const isPiiOff = draft.pii_mode === 'disabled'
  const isSentinelOff = draft.sentinel_mode === 'disabled'
  const hasSeveral = trial.messages.length > 1
  return (
    <>
      {isOutdated && <p className="text-warn">The draft has changed since. Try again.</p>}
      <div className="flex flex-col gap-2">
        <Verdict would={trial.would} isAllOff={isPiiOff && isSentinelOff} />
        <UncheckedNote types={trial.unchecked_types} />
        <ShadowNote draft={draft} wouldPass={trial.would === 'pass'} />
      </div>
      {isSentinelOff ? (
        <Unchecked>Sentinel is off in the draft: the text was not checked for attacks</Unchecked>
      ) : (
        <SentinelResult sentinel={trial.sentinel} />
      )}
      {isPiiOff && <Unchecked>PII Shield is off in the draft: the text was not checked for personal data</Unchecked>}
      {trial.messages
        .map((message, at) => ({ ...message, at }))
        .map(({ at, role, text, masked_text: masked }) => (
          <div key={at} className="flex flex-col gap-2">
            {hasSeveral && <p className="text-soft">{`Message ${at + 1}, ${role}`}</p>}
            {!isPiiOff && <MarkedText text={text} matches={trial.pii.filter(({ message }) => message === at)} />}
            {masked !== null && masked !== text && (
              <>
                <h3 className="font-medium">What the provider gets</h3>
                <Copyable label={hasSeveral ? `masked text ${at + 1}` : 'masked text'} text={masked} isProse />
              </>
            )}
          </div>
        ))}
    </>
  )
}

/** What the enforced guardrails would do. */
function Verdict({ would, isAllOff }: { would: Trial['would']; isAllOff: boolean }) {
  const { tone, word, outcome } = verdicts[would]
  if (isAllOff) {
    return (
      <p>
        <Badge>Not checked</Badge> Choose a mode of PII Shield or Sentinel, save it, and try again.
      </p>
    )
  }
  return (
    <p>
      <Badge tone={tone}>{word}</Badge> In enforce mode, {outcome}
    </p>
  )
}

function Unchecked({ children }: { children: string }) {
  return <h3 className="font-medium text-warn">{children}</h3>
}

/** The types that are off in the draft, and that PII Shield detects in the text. */
function UncheckedNote({ types }: { types: Trial['unchecked_types'] }) {
  if (types.length === 0) return null
  return <p className="text-warn">{`Off in the draft, so not looked for: ${types.map(nameOfEntity).join(', ')}.`}</p>
}

interface ShadowNoteProps {
  draft: SettingsDraft
  wouldPass: boolean
}

/** The verdict is that of the enforced guardrails; what happens today depends on their modes. */
function ShadowNote({ draft: { pii_mode: pii, sentinel_mode: sentinel }, wouldPass }: ShadowNoteProps) {
  const shadow = [pii === 'shadow' && 'PII Shield', sentinel === 'shadow' && 'Sentinel'].filter(Boolean)
  if (shadow.length === 0 || wouldPass) return null
  return (
    <p className="text-soft">
      {`In shadow mode in the draft: ${shadow.join(' and ')}. There, a match is only reported.`}
    </p>
  )
}

const outcomes: Record<Trial['sentinel']['thresholds']['strict'], string> = {
  pass: 'passes',
  flag: 'flags it',
  block: 'blocks it',
}

function SentinelResult({
  sentinel: { verdict, families, terms, variable, score, thresholds },
}: {
  sentinel: Trial['sentinel']
}) {
  const scored = `Score ${score}: ${Object.entries(thresholds)
    .map(([threshold, outcome]) => `${threshold} ${outcomes[outcome]}`)
    .join(', ')}.`
  if (verdict === 'passed') {
    return (
      <div className="flex flex-col gap-2">
        <h3 className="font-medium">No attack and no term of the blocklist is detected</h3>
        <p className="text-soft">{scored}</p>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-medium">
        {verdict === 'flagged' ? 'Sentinel flags, and lets pass' : 'Sentinel detects'}
        {variable !== null && (
          <>
            {' '}
            in the variable <bdi>{variable}</bdi>
          </>
        )}
      </h3>
      <p className="text-soft">{scored}</p>
      <ul className="list-disc pl-5">
        {families.map(family => (
          <li key={family}>
            <code>{family}</code>: {nameOfFamily(family)}
          </li>
        ))}
        {terms > 0 && <li>{formatCountOf(terms, 'term')} of the blocklist</li>}
      </ul>
    </div>
  )
}
