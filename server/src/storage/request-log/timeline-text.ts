// The timeline of a request as the text of its column: a list for each step, since every row has one, and names of
// members would be most of it.
import type { TimelineStep } from '../../domain/requests/request-record.ts'

type StoredStep = [name: TimelineStep['name'], start: number, end: number, detail?: TimelineStep['detail']]

export function timelineText(steps: readonly TimelineStep[]): string {
  const stored = steps.map(
    ({ name, start, end, detail }): StoredStep => (detail === null ? [name, start, end] : [name, start, end, detail]),
  )
  return JSON.stringify(stored)
}

/** Rows of earlier versions have the steps as objects. */
export function readTimeline(text: string | null): TimelineStep[] {
  const stored = text === null ? [] : (JSON.parse(text) as (StoredStep | TimelineStep)[])
  return stored.map(step => {
    if (!Array.isArray(step)) return step
    const [name, start, end, detail = null] = step
    return { name, start, end, detail }
  })
}
