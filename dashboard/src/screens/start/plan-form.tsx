// Says that provider keys need the pro plan, where an operator sets it, and sets it with the admin secret.
import { Link } from '@tanstack/react-router'
import { createOperatorClient } from '../../api/operator.ts'
import { refreshTenant } from '../../api/queries.ts'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'

export function PlanForm({ tenantId }: { tenantId: string }) {
  const submit = async ({ secret = '' }: FormValues): Promise<void> => {
    const operator = createOperatorClient(secret)
    await operator.request('PUT', '/v1/admin/tenants/{tenantId}/plan', { path: { tenantId }, body: { plan: 'pro' } })
    await refreshTenant(tenantId)
  }
  return (
    <>
      <p>
        Your tenant is on the free plan, which has no provider keys of its own. Ask the operator of this installation
        for the pro plan.
      </p>
      <p>
        If your account is an operator, as that of the first user is, open <Link to="/app/operator">Operator</Link>,
        choose “Continue as yourself” and set the plan of the tenant. If you have the admin secret, set it here:
      </p>
      <Form submit={submit} submitLabel="Set the pro plan" isResetAfterwards>
        <TextField
          name="secret"
          label="Admin secret"
          type="password"
          autoComplete="off"
          hint={
            <>
              The first start wrote it to the file <code>admin-secret</code> of the data folder. It is sent once and not
              kept.
            </>
          }
          required
        />
      </Form>
    </>
  )
}
