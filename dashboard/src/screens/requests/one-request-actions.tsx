// Where one request leads: to the playground, to its end user, and to the requests of its thread or of its agent's
// session.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { projectQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyLink } from './copy-link.tsx'
import type { LoggedRequest } from './filter.ts'

/** An erased user, and those of our own services, have no page. */
export const hasPage = (uid: string): boolean => uid !== 'erased' && !uid.startsWith('svc:')

export function OneRequestActions({ projectId, row }: { projectId: string; row: LoggedRequest }) {
  const { id, uid, thread_id: thread, agent_session_id: agentSession, endpoint, status } = row
  const project = useQuery(projectQuery(projectId))
  const params = { projectId }
  return (
    <>
      {project.data !== undefined && isConversation(endpoint) && (
        <Replay
          tenantId={project.data.tenant_id}
          projectId={projectId}
          requestId={id}
          look={status < 400 ? 'primary' : 'plain'}
        />
      )}
      {uid !== null && hasPage(uid) && (
        <Link to="/app/projects/$projectId/end-users/user" params={params} search={{ uid }} className={buttonClass()}>
          Open user
        </Link>
      )}
      {thread !== null && (
        <Link to="/app/projects/$projectId/requests" params={params} search={{ thread }} className={buttonClass()}>
          Open thread
        </Link>
      )}
      {agentSession !== null && (
        <Link
          to="/app/projects/$projectId/requests"
          params={params}
          search={{ agent_session: agentSession }}
          className={buttonClass()}
        >
          Open agent’s session
        </Link>
      )}
      <CopyLink />
    </>
  )
}

/** What the playground can send. */
const isConversation = (endpoint: string | null): boolean =>
  endpoint === 'chat_completions' || endpoint === 'responses' || endpoint === 'messages'

interface ReplayProps {
  tenantId: string
  projectId: string
  requestId: string
  look: 'primary' | 'plain'
}

function Replay({ tenantId, look, ...ids }: ReplayProps) {
  if (!useMay(tenantId)('settings:write')) return null
  const { projectId, requestId } = ids
  return (
    <Link
      to="/app/projects/$projectId/playground"
      params={{ projectId }}
      search={{ request: requestId }}
      className={buttonClass(look)}
    >
      Replay in playground
    </Link>
  )
}
