// Downloads the entries of a filter in the formats of the export.
import { startDownload } from '../../api/download.ts'
import { ActionButton } from '../../ui/button.tsx'
import { type AuditFilter, toQuery } from './audit-filter.ts'

const formats = { ndjson: 'NDJSON', ocsf: 'OCSF' }

interface AuditDownloadsProps {
  /** Of the export. */
  path: string
  filter: AuditFilter
}

export function AuditDownloads({ path, filter: { cursor: _, ...filter } }: AuditDownloadsProps) {
  const addressOf = (format: string) => `${path}?${new URLSearchParams({ ...toQuery(filter), format })}`
  return Object.entries(formats).map(([format, name]) => (
    <ActionButton key={format} run={() => startDownload(addressOf(format))}>
      Download {name}
    </ActionButton>
  ))
}
