// How far a meter is: what it sent, what waits, and its last error.
import { Figures } from '../../ui/figures.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Time } from '../../ui/time.tsx'
import { describeFailure, type Meter } from './meter.ts'

/** The API counts no further. */
const maxCounted = 10_000

const countOf = (count: number) => (count >= maxCounted ? `${formatCount(maxCounted)}+` : formatCount(count))

export function MeterState({ meter }: { meter: Meter }) {
  const { last_error: failure, retry_at: retryAt } = meter
  return (
    <>
      <Figures
        figures={[
          { title: 'Sent', value: formatCount(meter.sent), note: <LastSent at={meter.last_sent_at} /> },
          { title: 'Waiting', value: countOf(meter.waiting), note: `Lag ${describeLag(meter.lag_seconds)}` },
          { title: 'Rejected', value: countOf(meter.rejected), note: 'Sent again one by one' },
          { title: 'Dropped', value: formatCount(meter.dropped), note: 'Deleted before they were sent' },
        ]}
      />
      <p className="text-sm">
        {failure === null ? (
          'No error so far.'
        ) : (
          <>
            Last error: {describeFailure(failure)}, <Time iso={failure.at} />.
          </>
        )}{' '}
        {retryAt !== null && <NextAttempt at={retryAt} />}
      </p>
    </>
  )
}

function LastSent({ at }: { at: string | null }) {
  return at === null ? (
    'Nothing yet'
  ) : (
    <>
      Last <Time iso={at} />
    </>
  )
}

function NextAttempt({ at }: { at: string }) {
  return (
    <>
      The next attempt is <Time iso={at} />.
    </>
  )
}

function describeLag(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
