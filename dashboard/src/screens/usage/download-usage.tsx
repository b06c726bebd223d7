// Downloads the usage of a period. The browser writes the stream to a file, so its size does not matter.
import { request } from '../../api/management.ts'
import { ActionButton } from '../../ui/button.tsx'
import type { Period } from './usage-search.ts'

const formats = { csv: 'CSV', ndjson: 'NDJSON' }

/** Covers all end users. */
export function DownloadUsage({ projectId, period: { from, to } }: { projectId: string; period: Period }) {
  const download = async (format: string): Promise<void> => {
    // If the session has expired, the user signs in now: a download could not ask.
    await request('GET', '/auth/v1/projects/{projectId}', { path: { projectId } })
    const link = document.createElement('a')
    link.href = `/auth/v1/projects/${projectId}/usage/export?${new URLSearchParams({ format, from, to })}`
    link.download = ''
    link.click()
  }
  return Object.entries(formats).map(([format, name]) => (
    <ActionButton key={format} run={() => download(format)}>
      Download {name}
    </ActionButton>
  ))
}
