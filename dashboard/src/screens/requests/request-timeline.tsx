// How the time of a request was spent: each step as a bar, beside its times as text.
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
  if (steps.length === 0) return <p className="text-soft">The request was refused before it was admitted.</p>
  const whole = Math.max(1, ...steps.map(({ end_ms }) => end_ms))
  return (
    <ol className="flex flex-col gap-2">
      {numbered(steps).map(({ number, value: step }) => (
        <li key={number} className="flex flex-col gap-1">
          <span>
            {names[step.name]} <Detail step={step} />{' '}
            <span className="text-soft">
              {formatMs(step.start_ms)}
              {step.end_ms > step.start_ms && ` to ${formatMs(step.end_ms)}`}
            </span>
          </span>
          <progress aria-hidden="true" className="h-2 w-full" max={whole} value={Math.max(step.end_ms, whole / 100)} />
        </li>
      ))}
    </ol>
  )
}

function Detail({ step: { detail } }: { step: Step }) {
  if (detail === null) return null
  return (
    <>
      <bdi>{detail.model}</bdi>
      {detail.error !== null && `: ${detail.error}`}
    </>
  )
}
