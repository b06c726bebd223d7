// The user's passkeys: adds one of this device, and removes those that are gone.
import type { ManagementRoutes } from '@sallyport/sdk'
import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { canUsePasskeys, createPasskey } from '../../api/passkeys.ts'
import { ownFactorsQuery, ownPasskeysQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

type Passkey = ManagementRoutes['GET /auth/v1/users/current/passkeys']['output']['data'][number]

const refresh = () => queryClient.invalidateQueries({ queryKey: ownFactorsQuery.queryKey })

const columns: Column<Passkey>[] = [
  { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  { title: 'Added', cell: passkey => <Time iso={passkey.created_at} /> },
  {
    title: 'Last used',
    cell: passkey => (passkey.last_used_at === null ? 'Never' : <Time iso={passkey.last_used_at} />),
  },
  { title: 'Actions', cell: passkey => <RemoveButton {...passkey} /> },
]

export function Passkeys() {
  const passkeys = useQuery(ownPasskeysQuery)
  return (
    <>
      <p className="max-w-2xl text-soft">
        A passkey signs you in with your fingerprint, face or PIN, without a password.{' '}
        <a href="/docs/second-factors">About second factors</a>
      </p>
      <Loaded query={passkeys} what="your passkeys">
        {({ data }) => (
          <Table
            caption="Your passkeys"
            columns={columns}
            rows={data}
            keyOf={({ id }) => id}
            empty={<p>You have no passkeys yet.</p>}
          />
        )}
      </Loaded>
      {canUsePasskeys() ? <AddForm /> : <p>This browser takes no passkeys at this address.</p>}
    </>
  )
}

function AddForm() {
  const toast = useToast()
  const submit = async ({ name = '' }: FormValues): Promise<void> => {
    const options = await request('POST', '/auth/v1/users/current/passkeys/options')
    const body = { name, response: await createPasskey(options) }
    await request('POST', '/auth/v1/users/current/passkeys', { body })
    await queryClient.invalidateQueries()
    toast.show('The passkey is added.')
  }
  return (
    <Form submit={submit} submitLabel="Add a passkey" isResetAfterwards>
      <TextField
        name="name"
        label="Name of the device"
        hint="A name that you will recognise. With your first second factor, all your other sessions end."
        autoComplete="off"
        required
      />
    </Form>
  )
}

function RemoveButton({ id, name }: Passkey) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Remove the passkey?',
      body: (
        <p>
          You can no longer sign in with <bdi>{name}</bdi>. Delete it in the settings of that device too.
        </p>
      ),
      action: 'Remove',
      run: async () => {
        await request('DELETE', '/auth/v1/users/current/passkeys/{passkeyId}', { path: { passkeyId: id } })
        await refresh()
        toast.show('The passkey is removed.')
      },
    })
  return <Button onClick={ask}>Remove</Button>
}
