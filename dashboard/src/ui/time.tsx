// A point in time in the user's language: in the user's time zone, or in UTC.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const preciseFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const shortFormat = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
})
const utcFormat = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
})

const zonedFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** For the title of a time: which zone it is in. */
const describeTime = (iso: string): string => zonedFormat.format(new Date(iso))

export function Time({ iso }: { iso: string | null }) {
  if (iso === null) return <>Never</>
  return (
    <time dateTime={iso} title={describeTime(iso)} className="min-[1400px]:whitespace-nowrap">
      {format.format(new Date(iso))}
    </time>
  )
}

/** With seconds. */
export function PreciseTime({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={describeTime(iso)}>
      {preciseFormat.format(new Date(iso))}
    </time>
  )
}

/** With seconds and without the year, on one line. */
export function ShortTime({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={describeTime(iso)} className="whitespace-nowrap">
      {shortFormat.format(new Date(iso))}
    </time>
  )
}

/** For the ends of days and months, which are those of UTC. */
export function UtcTime({ iso }: { iso: string }) {
  return <time dateTime={iso}>{utcFormat.format(new Date(iso))}</time>
}
