// Sets or changes the single sign-on of a tenant, and tests what is entered before it is stored.
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ActionButton } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues, readValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { membersQuery, rolesQuery } from '../members/queries.ts'
import { type Connection, putConnection, type TestResult, testConnection, writeRoleMap } from './connection.ts'
import { TestChecks } from './test-checks.tsx'

interface ConnectionFormProps {
  tenantId: string
  connection: Connection | null
  mayWrite: boolean
}

export function ConnectionForm({ tenantId, connection, mayWrite }: ConnectionFormProps) {
  const toast = useToast()
  const button = useRef<HTMLButtonElement>(null)
  const [result, setResult] = useState<TestResult | null>(null)
  const fields = <ConnectionFields tenantId={tenantId} connection={connection} />
  if (!mayWrite) {
    return (
      <fieldset disabled className="flex max-w-xl flex-col gap-4">
        {fields}
      </fieldset>
    )
  }
  const save = async (values: FormValues): Promise<void> => {
    await putConnection(tenantId, values)
    toast.show('The single sign-on is saved.')
  }
  const test = async (): Promise<void> => {
    const form = button.current?.form
    if (form) setResult(await testConnection(tenantId, readValues(form)))
  }
  return (
    <>
      <Form
        submit={save}
        submitLabel={connection === null ? 'Set up' : 'Save'}
        isOfStored={connection !== null}
        secondary={
          <ActionButton ref={button} run={test}>
            Test
          </ActionButton>
        }
      >
        {fields}
      </Form>
      {result !== null && <TestChecks result={result} />}
    </>
  )
}

function ConnectionFields({ tenantId, connection }: Pick<ConnectionFormProps, 'tenantId' | 'connection'>) {
  return (
    <>
      <TextField
        name="issuer"
        label="Issuer"
        defaultValue={connection?.issuer}
        hint="As its discovery document writes it, such as https://login.example.com/realms/company."
        required
      />
      <TextField name="client_id" label="Client id" defaultValue={connection?.client_id} required />
      <TextField
        name="client_secret"
        label="Client secret"
        type="password"
        autoComplete="off"
        required={connection === null}
        hint={connection === null ? undefined : 'Empty: the stored one stays.'}
      />
      <TextField
        name="domains"
        label="Email domains"
        defaultValue={connection?.domains.join(', ')}
        hint="Only people with an email of these domains sign in. Separated by commas."
        required
      />
      <RoleFields tenantId={tenantId} connection={connection} />
      <RequiredFields tenantId={tenantId} connection={connection} />
    </>
  )
}

function RoleFields({ tenantId, connection }: Pick<ConnectionFormProps, 'tenantId' | 'connection'>) {
  const { data: roles = [] } = useQuery(rolesQuery(tenantId))
  const current = connection?.default_role ?? 'viewer'
  const names = new Set(['viewer', 'member', 'owner', current, ...roles.map(({ name }) => name)])
  return (
    <>
      <SelectField name="default_role" label="Role of new members" defaultValue={current}>
        {[...names].map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        name="role_claim"
        label="Role claim (optional)"
        defaultValue={connection?.role_claim ?? ''}
        hint="Such as groups or roles. The role then follows it at each sign-in."
      />
      <TextAreaField
        name="role_map"
        label="Roles by values of the claim"
        defaultValue={writeRoleMap(connection?.role_map ?? {})}
        hint="A line for each value, such as llm-admins = owner. The first match decides."
      />
    </>
  )
}

function RequiredFields({ tenantId, connection }: Pick<ConnectionFormProps, 'tenantId' | 'connection'>) {
  const { data: members = [] } = useQuery(membersQuery(tenantId))
  const current = connection?.break_glass_user_id ?? ''
  const owners = members.filter(({ role }) => role === 'owner')
  return (
    <>
      <CheckboxField
        name="required"
        label="Require it: passwords do not reach this tenant"
        defaultChecked={connection?.required ?? false}
      />
      {/* The list of members arrives after the field, whose value would be lost. */}
      <SelectField
        key={owners.length}
        name="break_glass_user_id"
        label="Owner who keeps the password (break-glass)"
        defaultValue={current}
        hint="For the day on which the identity provider is down."
      >
        <option value="">Nobody</option>
        {owners.map(({ id, email }) => (
          <option key={id} value={id}>
            {email}
          </option>
        ))}
      </SelectField>
    </>
  )
}
