// A request by the end of its id, which differs from that of others at the same time.
import { Link } from '@tanstack/react-router'

const shownCharacters = 8

export function RequestLink({ projectId, requestId }: { projectId: string; requestId: string }) {
  return (
    <Link to="/app/projects/$projectId/requests/$requestId" params={{ projectId, requestId }} title={requestId}>
      <code className="text-sm whitespace-nowrap">{`…${requestId.slice(-shownCharacters)}`}</code>
    </Link>
  )
}
