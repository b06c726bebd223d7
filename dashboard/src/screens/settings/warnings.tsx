// Names the models whose requests a budget refuses because they have no price, with the way to set it.
import { Link } from '@tanstack/react-router'
import type { SettingsWarning } from './queries.ts'

interface WarningsProps {
  tenantId: string
  warnings: readonly SettingsWarning[]
  /** Whether requests are refused now; else a deploy makes it so. */
  areLive: boolean
}

export function Warnings({ tenantId, warnings, areLive }: WarningsProps) {
  return warnings.map(({ code, models }) => (
    <div key={code} role="status" className="flex flex-col gap-1 rounded-md bg-warn-tint px-4 py-3 text-sm">
      <p className="font-semibold text-warn">
        {areLive ? 'Requests are rejected' : 'After a deploy, requests are rejected'}: a model has no price
      </p>
      <p>
        A budget is in force, so every request to a model without a price is rejected: <bdi>{models.join(', ')}</bdi>.{' '}
        <Link to="/app/tenants/$tenantId/prices" params={{ tenantId }}>
          Set the price
        </Link>{' '}
        or remove the budget.
      </p>
    </div>
  ))
}
