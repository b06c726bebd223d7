// Who did what in the installation: sign-ins, accounts, tenants, and everything that operators do.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { AuditDownloads } from '../audit/audit-downloads.tsx'
import { AuditList } from '../audit/audit-list.tsx'
import { useOperator } from './operator-context.tsx'
import { installationAuditQuery } from './queries.ts'

const from = '/app/operator/audit'

export function OperatorAuditScreen() {
  const operator = useOperator()
  const filter = useSearch({ from })
  const navigate = useNavigate({ from })
  const entries = useQuery(installationAuditQuery(operator, filter))
  return (
    <Page
      title="Audit of the installation"
      lead={
        <>
          Sign-ins, accounts, tenants, and what operators do. What people do in a tenant is in the audit of the tenant.{' '}
          <a href="/docs/audit#which-chain">Which audit has what</a>
        </>
      }
      actions={operator.isSession && <AuditDownloads path="/v1/admin/audit/export" filter={filter} />}
    >
      <AuditList
        entries={entries}
        filter={filter}
        show={(search, replace = false) => void navigate({ search, replace })}
        verify={() => operator.request('GET', '/v1/admin/audit/verify')}
      />
    </Page>
  )
}
