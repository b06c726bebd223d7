// How the members of a tenant must sign in.
import type { ManagementRoutes } from '@sallyport/sdk'
import { request } from '../../api/management.ts'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'

type Tenant = ManagementRoutes['GET /auth/v1/tenants/{tenantId}']['output']

export function SignInRules({ tenant, stored }: { tenant: Tenant; stored: (changed: Tenant) => void }) {
  const toast = useToast()
  const submit = async (values: FormValues): Promise<void> => {
    const body = { require_second_factor: values['require_second_factor'] !== undefined }
    const path = { tenantId: tenant.id }
    stored(await request('PUT', '/auth/v1/tenants/{tenantId}/sign-in-rules', { path, body }))
    toast.show('The rules for signing in are saved.')
  }
  return (
    <>
      <p className="max-w-2xl text-soft">
        A second factor is a passkey or an authenticator app. Members without one reach this tenant once they have added
        one to their account. You need one yourself. <a href="/docs/second-factors">About second factors</a>
      </p>
      <Form submit={submit} submitLabel="Save" isOfStored>
        <CheckboxField
          name="require_second_factor"
          label="Require a second factor of all members"
          defaultChecked={tenant.require_second_factor}
        />
      </Form>
    </>
  )
}
