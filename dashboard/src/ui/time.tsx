// A point in time in the user's language and time zone.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function Time({ iso }: { iso: string | null }) {
  if (iso === null) return <>Never</>
  return <time dateTime={iso}>{format.format(new Date(iso))}</time>
}
