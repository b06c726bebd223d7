// One column of the playground: the conversation, the answer as it streams, what answered, what it used and cost, and
// what the guardrails did.
import { type ReactNode, useId } from 'react'
import type { ChunkUsage } from '../../api/read-deltas.ts'
import { formatCount, formatCountOf, formatMs, formatUsd } from '../../ui/numbers.ts'
import { RunEvents } from './run-events.tsx'
import { CalledTool, SaidMessages } from './said-messages.tsx'
import { SentMessage } from './sent-message.tsx'
import type { Trial } from './use-trial.ts'

interface ModelPrices {
  input: number | null
  cachedInput: number | null
  output: number | null
  reasoning: number | null
}

interface TrialColumnProps {
  title: string
  use: 'draft' | 'deployed'
  /** What answers in this column, or what to do if nothing can. */
  about: ReactNode
  trial: Trial
  /** Those of the column's own model for null. Null if they are unknown: then only tokens are shown. */
  pricesOf: (model: string | null) => ModelPrices | null
  tenantId: string
  projectId: string
}

export function TrialColumn({ title, use, about, trial, pricesOf, tenantId, projectId }: TrialColumnProps) {
  const titleId = useId()
  const { state, said, text, toolCalls, error, head, startedAt } = trial
  const last = said.at(-1)
  const requestId = head?.requestId ?? null
  const isOver = state === 'answered' || state === 'stopped' || state === 'failed'
  return (
    <section aria-labelledby={titleId} className="flex min-w-0 flex-col gap-3">
      <h2 id={titleId} className="text-lg font-semibold">
        {title}
      </h2>
      <p className="text-sm text-soft">{about}</p>
      {last !== undefined && (
        <SaidMessages messages={said} last={<SentMessage projectId={projectId} use={use} message={last} />} />
      )}
      <section
        aria-label={`Answer: ${title}`}
        aria-live="polite"
        aria-busy={state === 'running'}
        className="min-h-32 rounded-md border border-line bg-raised p-4"
      >
        {text !== '' && (
          <p dir="auto" className="whitespace-pre-wrap">
            {text}
          </p>
        )}
        {toolCalls.map(({ id, function: called }) => (
          <CalledTool key={id} name={called.name} given={called.arguments} />
        ))}
        {text === '' && toolCalls.length === 0 && error === null && <p className="text-soft">{placeholders[state]}</p>}
        {error !== null && (
          <p dir="auto" className="text-danger">
            {error}
          </p>
        )}
      </section>
      {isOver && (
        <>
          <p className="text-sm">
            {outcomes[state]}. {describeTimes(trial)}
          </p>
          <TargetLine trial={trial} />
          {head?.cache === 'hit' ? (
            <p className="text-sm">The answer came from the cache: no provider was called, and it cost nothing.</p>
          ) : (
            <UsageLine trial={trial} prices={pricesOf(head?.model ?? null)} />
          )}
          {requestId !== null && <RunEvents {...{ tenantId, projectId, requestId, startedAt }} />}
        </>
      )}
    </section>
  )
}

const placeholders: Record<Trial['state'], string> = {
  idle: 'The answer appears here.',
  running: 'Waiting for the first word…',
  answered: 'The model answered without text.',
  stopped: 'Stopped before the first word.',
  failed: '',
}

const outcomes = { answered: 'Answered', stopped: 'Stopped', failed: 'Failed' }

function describeTimes({ firstTextMs, totalMs }: Trial): string {
  const first = firstTextMs === null ? '' : `First word after ${formatMs(firstTextMs)}, `
  const rest = totalMs === null ? '' : `${first === '' ? 'Ended' : 'ended'} after ${formatMs(totalMs)}.`
  return first + rest
}

/** With routes, and for a run that the cache could have answered. */
function TargetLine({ trial: { head, state } }: { trial: Trial }) {
  const { model = null, attempts = null, cache = null } = head ?? {}
  return (
    <>
      {model !== null && attempts !== null && cache !== 'hit' && (
        <p className="text-sm">
          {state === 'failed' ? 'The last target was ' : 'Answered by '}
          <code>{model}</code>, after {formatCountOf(attempts, 'call to a provider', 'calls to providers')}.
        </p>
      )}
      {cache === 'miss' && <p className="text-sm">The cache had no answer to this message.</p>}
    </>
  )
}

function UsageLine({ trial: { usage, state }, prices }: { trial: Trial; prices: ModelPrices | null }) {
  if (usage === null) {
    if (state === 'failed') return null
    return <p className="text-sm">The provider sent no token counts; what it used is under Usage and cost.</p>
  }
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  const cost = costOf(usage, prices)
  return (
    <p className="text-sm">
      {formatCount(prompt)} prompt and {formatCount(completion)} answer tokens
      {cost === null ? '; price unknown.' : `, about ${formatUsd(cost)} at the price of the model.`}
    </p>
  )
}

function costOf(usage: ChunkUsage, prices: ModelPrices | null): number | null {
  if (prices === null || prices.input === null || prices.output === null) return null
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  const cached = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, prompt)
  const reasoning = Math.min(usage.completion_tokens_details?.reasoning_tokens ?? 0, completion)
  const input = (prompt - cached) * prices.input + cached * (prices.cachedInput ?? prices.input)
  const output = (completion - reasoning) * prices.output + reasoning * (prices.reasoning ?? prices.output)
  return (input + output) / 1e6
}
