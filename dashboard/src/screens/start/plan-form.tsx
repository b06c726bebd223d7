// Says that provider keys need the pro plan and who sets it, and sets it for an operator, by their own sign-in or with
// the admin secret.
import type { ManagementClient } from '@sallyport/sdk'
import { request } from '../../api/management.ts'
import { createOperatorClient, runAsOperator } from '../../api/operator.ts'
import { refreshTenant } from '../../api/queries.ts'
import { ActionButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'

export function PlanForm({ tenantId }: { tenantId: string }) {
  const toast = useToast()
  const setPlan = async (send: ManagementClient['request']): Promise<void> => {
    const set = await send('PUT', '/v1/admin/tenants/{tenantId}/plan', { path: { tenantId }, body: { plan: 'pro' } })
    await refreshTenant(tenantId)
    toast.show(`${set.name} is on the pro plan now. An operator can set the free plan again under Operator, Tenants.`)
  }
  const setAsSelf = () =>
    runAsOperator(() => setPlan(request), 'Your account is not an operator. Ask the operator for the pro plan.')
  return (
    <>
      <p>
        Your tenant is on the free plan. Provider keys, and servers of your own such as Ollama, need the pro plan, which
        an operator of this installation sets. Its first user is one.
      </p>
      <p>
        <ActionButton look="primary" run={setAsSelf}>
          Set the pro plan
        </ActionButton>
      </p>
      <details>
        <summary className="py-1 font-medium">Use the admin secret instead</summary>
        <Form
          submit={({ secret = '' }: FormValues) => setPlan(createOperatorClient(secret).request)}
          submitLabel="Set the plan with the secret"
          isResetAfterwards
        >
          <TextField
            name="secret"
            label="Admin secret"
            type="password"
            autoComplete="off"
            hint={
              <>
                The first start wrote it to the file <code>admin-secret</code> of the data folder. It is sent once and
                not kept.
              </>
            }
            required
          />
        </Form>
      </details>
    </>
  )
}
