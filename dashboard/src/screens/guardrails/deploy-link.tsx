// Leads to the settings, where the draft is compared with what is deployed, and deployed.
import { Link, type LinkProps } from '@tanstack/react-router'

export function DeployLink({ projectId }: { projectId: string }) {
  return (
    <Link
      to={'/app/projects/$projectId/settings' as LinkProps['to']}
      params={{ projectId } as unknown as LinkProps['params']}
    >
      Review and deploy the draft
    </Link>
  )
}
