// Downloads the usage of a period.
import type { Period } from '../../api/days.ts'
import { startDownload } from '../../api/download.ts'
import { ActionButton } from '../../ui/button.tsx'

const formats = { csv: 'CSV', ndjson: 'NDJSON' }

/** Covers all end users. */
export function DownloadUsage({ projectId, period: { from, to } }: { projectId: string; period: Period }) {
  const addressOf = (format: string) =>
    `/auth/v1/projects/${projectId}/usage/export?${new URLSearchParams({ format, from, to })}`
  return Object.entries(formats).map(([format, name]) => (
    <ActionButton key={format} run={() => startDownload(addressOf(format))}>
      Download {name}
    </ActionButton>
  ))
}
