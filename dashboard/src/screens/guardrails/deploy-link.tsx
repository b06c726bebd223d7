// Leads to the settings, where the draft is compared with what is deployed, and deployed.
import { Link } from '@tanstack/react-router'

export function DeployLink({ projectId }: { projectId: string }) {
  return (
    <Link to="/app/projects/$projectId/settings" params={{ projectId }}>
      Review and deploy the draft
    </Link>
  )
}
