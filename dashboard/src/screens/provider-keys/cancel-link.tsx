// Leads from the form of a provider back to the list of them.
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'

export function CancelLink({ tenantId }: { tenantId: string }) {
  return (
    <Link to="/app/tenants/$tenantId/provider-keys" params={{ tenantId }} className={buttonClass()}>
      Cancel
    </Link>
  )
}
