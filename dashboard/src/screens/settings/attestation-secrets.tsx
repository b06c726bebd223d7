// The secrets by which attestations of anonymous users are checked: in force at once, so they are no part of the draft.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type AttestationKind, attestationNames } from './anonymous-values.ts'

const path = '/auth/v1/projects/{projectId}/attestation'

type Stored = ManagementRoutes[`GET ${typeof path}`]['output']['secrets'][number]

const secretsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'attestation'],
    queryFn: () => request('GET', path, { path: { projectId } }),
  })

interface AttestationSecretsProps {
  projectId: string
  mayWrite: boolean
}

export function AttestationSecrets({ projectId, mayWrite }: AttestationSecretsProps) {
  const secrets = useQuery(secretsQuery(projectId))
  return (
    <>
      <Loaded query={secrets} what="the secrets of attestations">
        {({ secrets: stored }) => (
          <Table
            caption="Secrets of attestations"
            columns={mayWrite ? [...columns, removeColumn(projectId)] : columns}
            rows={stored}
            keyOf={({ kind }) => kind}
            empty={<p>None is stored.</p>}
          />
        )}
      </Loaded>
      {mayWrite && <SecretForm projectId={projectId} />}
    </>
  )
}

const columns: Column<Stored>[] = [
  { title: 'Attestation', cell: ({ kind }) => attestationNames[kind] },
  { title: 'Stored', cell: ({ set_at }) => <Time iso={set_at} /> },
]

const removeColumn = (projectId: string): Column<Stored> => ({
  title: 'Actions',
  cell: ({ kind }) => <RemoveSecret projectId={projectId} kind={kind} />,
})

/** Those that need a secret. */
const kinds = (Object.keys(attestationNames) as AttestationKind[]).filter(kind => kind !== 'proof_of_work')

function SecretForm({ projectId }: { projectId: string }) {
  const toast = useToast()
  const [kind, setKind] = useState<AttestationKind>('turnstile')
  const submit = async ({ secret = '' }: FormValues): Promise<void> => {
    await request('PUT', path, { path: { projectId }, body: { kind, secret } })
    await queryClient.invalidateQueries({ queryKey: secretsQuery(projectId).queryKey })
    toast.show(`The secret of ${attestationNames[kind]} is stored.`)
  }
  return (
    <Form submit={submit} submitLabel="Store the secret" isResetAfterwards>
      <SelectField
        name="kind"
        label="Service"
        value={kind}
        onValue={chosen => setKind(kinds.find(one => one === chosen) ?? kind)}
      >
        {kinds.map(one => (
          <option key={one} value={one}>
            {attestationNames[one]}
          </option>
        ))}
      </SelectField>
      <TextField
        name="secret"
        label="Secret"
        type="password"
        autoComplete="off"
        hint={
          kind === 'app_check'
            ? 'The number of the Firebase project, in its general settings.'
            : 'The secret key of the service. It is stored encrypted and never shown again.'
        }
        required
      />
    </Form>
  )
}

function RemoveSecret({ projectId, kind }: { projectId: string; kind: AttestationKind }) {
  const confirm = useConfirm()
  const name = attestationNames[kind]
  const ask = () =>
    confirm({
      title: `Remove the secret of ${name}?`,
      body: <p>Live at once: clients that show this attestation get no new token. Their present tokens stay valid.</p>,
      action: 'Remove it now',
      run: async () => {
        await request('DELETE', `${path}/{kind}`, { path: { projectId, kind } })
        await queryClient.invalidateQueries({ queryKey: secretsQuery(projectId).queryKey })
      },
    })
  return (
    <Button aria-label={`Remove the secret of ${name}`} onClick={ask}>
      Remove
    </Button>
  )
}
