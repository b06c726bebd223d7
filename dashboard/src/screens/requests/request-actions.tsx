// What can be done with the requests of the filters: compare periods, and download them.
import { Link } from '@tanstack/react-router'
import { startDownload } from '../../api/download.ts'
import { ActionButton, buttonClass } from '../../ui/button.tsx'
import type { RequestFilter } from './filter.ts'

export function RequestActions({ projectId, filter }: { projectId: string; filter: RequestFilter }) {
  const download = async (): Promise<void> => {
    const query = new URLSearchParams({ format: 'csv' })
    for (const [name, value] of Object.entries(filter)) query.set(name, String(value))
    await startDownload(`/auth/v1/projects/${encodeURIComponent(projectId)}/requests/export?${query}`)
  }
  return (
    <>
      <Link to="/app/projects/$projectId/requests/compare" params={{ projectId }} className={buttonClass()}>
        Compare
      </Link>
      <ActionButton run={download}>Download</ActionButton>
    </>
  )
}
