// Whether a project serves requests, and how far the registration of its host names is.
import { Badge } from '../../ui/badge.tsx'

export function ProjectStatus({ status }: { status: 'active' | 'suspended' }) {
  return status === 'active' ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Suspended</Badge>
}

interface Provisioned {
  status: 'active' | 'suspended'
  dns_status: 'PENDING' | 'READY' | 'FAILED'
}

export function ProvisioningStatus({ project }: { project: Provisioned }) {
  if (project.status === 'suspended') return <Badge>Removed while suspended</Badge>
  if (project.dns_status === 'READY') return <Badge tone="good">Ready</Badge>
  if (project.dns_status === 'FAILED') return <Badge tone="danger">Failed</Badge>
  return <Badge tone="warn">Being registered…</Badge>
}
