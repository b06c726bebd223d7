// Whether an end user is blocked, and whether tokens were revoked.
import { Badge } from '../../ui/badge.tsx'
import type { EndUser } from './queries.ts'

export function Restrictions({ user }: { user: EndUser }) {
  if (user.blocked_at !== null) return <Badge tone="danger">Blocked</Badge>
  if (user.tokens_revoked_at !== null) return <Badge tone="warn">Tokens revoked</Badge>
  return <span className="text-soft">Not restricted</span>
}
