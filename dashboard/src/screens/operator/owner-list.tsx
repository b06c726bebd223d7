// The owners of a tenant, each with a link for a new password: nobody else can let the only owner back in.
import { useState } from 'react'
import { ActionButton } from '../../ui/button.tsx'
import { LinkDialog } from '../../ui/dialogs/link-dialog.tsx'
import { useOperator } from './operator-context.tsx'
import type { ListedTenant } from './queries.ts'

type Owner = ListedTenant['owners'][number]

export function OwnerList({ owners }: { owners: Owner[] }) {
  if (owners.length === 0) return <span className="text-soft">None</span>
  return (
    <ul className="flex flex-col gap-2">
      {owners.map(owner => (
        <li key={owner.id} className="flex flex-wrap items-center gap-2">
          <bdi>{owner.email}</bdi>
          <OwnerResetLink owner={owner} />
        </li>
      ))}
    </ul>
  )
}

function OwnerResetLink({ owner }: { owner: Owner }) {
  const { request } = useOperator()
  const [url, setUrl] = useState<string | null>(null)
  const create = async (): Promise<void> => {
    const made = await request('POST', '/v1/admin/users/{userId}/reset-link', { path: { userId: owner.id } })
    setUrl(made.reset_url)
  }
  return (
    <>
      <ActionButton aria-label={`Reset link for ${owner.email}`} run={create}>
        Reset link
      </ActionButton>
      {url !== null && (
        <LinkDialog title="A link for a new password" url={url} close={() => setUrl(null)}>
          With this link <bdi>{owner.email}</bdi> can choose a new password, once, within an hour. All their sessions
          end then.
        </LinkDialog>
      )}
    </>
  )
}
