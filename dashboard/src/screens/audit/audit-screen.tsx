// Who did what in a tenant, and what it changed: newest first, with filters, an export and a check of the chain.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { projectsQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { AuditDownloads } from './audit-downloads.tsx'
import { AuditList } from './audit-list.tsx'
import { auditQuery, verifyChain } from './queries.ts'

const from = '/app/tenants/$tenantId/audit'

export function AuditScreen() {
  const { tenantId } = useParams({ from })
  const filter = useSearch({ from })
  const navigate = useNavigate({ from })
  const mayRead = useMay(tenantId)('audit:read')
  const entries = useQuery({ ...auditQuery(tenantId, filter), enabled: mayRead })
  const { data: projects = [] } = useQuery(projectsQuery(tenantId))
  if (!mayRead) {
    return (
      <Page title="Audit">
        <Empty title="Your role does not read the audit">An owner can give you one that does.</Empty>
      </Page>
    )
  }
  return (
    <Page
      title="Audit"
      lead={
        <>
          Who did what in the tenant, from where, and what it changed. Each entry holds the hash of the one before, so
          that a changed or missing one is found. <a href="/docs/audit">About the audit</a>
        </>
      }
      actions={<AuditDownloads path={`/auth/v1/tenants/${tenantId}/audit/export`} filter={filter} />}
    >
      <AuditList
        entries={entries}
        filter={filter}
        show={(search, replace = false) => void navigate({ search, replace })}
        verify={() => verifyChain(tenantId)}
        projects={new Map(projects.map(({ id, name }) => [id, name]))}
      />
    </Page>
  )
}
