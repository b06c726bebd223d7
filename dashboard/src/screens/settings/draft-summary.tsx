// Whether the draft differs from what is live, and since when that is live.
import { Link } from '@tanstack/react-router'
import type { SettingsDraft } from '../../api/draft.ts'
import { Time } from '../../ui/time.tsx'

interface DraftSummaryProps {
  draft: SettingsDraft
  /** How many changes a deploy would make; undefined until that is known. */
  count: number | undefined
}

export function DraftSummary({ draft, count }: DraftSummaryProps) {
  return (
    <p role="status" className="text-sm text-soft">
      {count === 0 && 'The draft is the same as what is live. '}
      {draft.deployed_at === null ? (
        'Nothing has been deployed yet: the default settings are live. '
      ) : (
        <>
          Last deployed <Time iso={draft.deployed_at} />.{' '}
        </>
      )}
      <Link to="/app/projects/$projectId/deployments" params={{ projectId: draft.project_id }}>
        All deployments
      </Link>
    </p>
  )
}
