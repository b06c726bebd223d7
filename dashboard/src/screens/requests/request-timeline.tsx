// How the time of a request was spent: each step as a bar at its place in the whole, beside its times as text.
import type { ManagementRoutes } from '@sallyport/sdk'
import { formatMs } from '../../ui/numbers.ts'
import { numbered } from './numbered.ts'

type Step = ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/{requestId}']['output']['timeline'][number]

const names: Record<Step['name'], string> = {
  body: 'Body read',
  admission: 'Admitted',
  guardrails: 'Guardrails',
  attempt: 'Asked',
  first_token: 'First token',
  end: 'End',
}

export function RequestTimeline({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return <p className="text-soft">The request was rejected on arrival, so it has no steps.</p>
  const whole = Math.max(1, ...steps.map(({ end_ms }) => end_ms))
  return (
    <ol className="flex flex-col gap-3">
      {numbered(steps).map(({ number, value: step }) => (
        <li key={number} className="grid gap-x-4 gap-y-1 sm:grid-cols-[16rem_1fr_9rem] sm:items-center">
          <span className="min-w-0 break-words">
            {names[step.name]} <Detail step={step} />
          </span>
          <Bar step={step} whole={whole} />
          <span className="text-sm text-soft sm:text-right">
            {formatMs(step.start_ms)}
            {step.end_ms > step.start_ms && ` to ${formatMs(step.end_ms)}`}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** In hundredths of the whole; a moment is as wide as can be seen. */
const minWidth = 0.8

function Bar({ step: { start_ms, end_ms, detail }, whole }: { step: Step; whole: number }) {
  const width = Math.max(minWidth, ((end_ms - start_ms) / whole) * 100)
  const x = Math.min((start_ms / whole) * 100, 100 - width)
  const hasFailed = detail !== null && detail.error !== null
  return (
    <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none" className="h-3 w-full rounded-sm bg-raised">
      <rect x={x} y={0} width={width} height={10} className={hasFailed ? 'fill-danger' : 'fill-accent'} />
    </svg>
  )
}

function Detail({ step: { detail } }: { step: Step }) {
  if (detail === null) return null
  return (
    <>
      <bdi className="text-sm">{detail.model}</bdi>
      {detail.error !== null && `: ${detail.error}`}
    </>
  )
}
