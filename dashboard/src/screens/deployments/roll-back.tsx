// Makes an earlier deployment live again, after showing what that changes.

import { useQuery } from '@tanstack/react-query'
import { refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ChangeList } from '../settings/change-list.tsx'
import { rollbackChangesQuery } from '../settings/queries.ts'

interface RollBackProps {
  projectId: string
  number: number
}

export function RollBack({ projectId, number }: RollBackProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const path = { projectId, number: String(number) }
  const ask = () =>
    confirm({
      title: `Roll back to deployment ${number}?`,
      body: (
        <>
          <p>Its settings and tiers go live at once, as a new deployment. The draft and its tiers are replaced, too.</p>
          <RollbackChanges projectId={projectId} number={number} />
        </>
      ),
      action: 'Roll back',
      run: async () => {
        try {
          await request('POST', '/auth/v1/projects/{projectId}/settings/deployments/{number}/rollback', { path })
        } finally {
          await refreshSettings(projectId)
        }
        toast.show(`The settings of deployment ${number} are live again.`)
      },
    })
  return (
    <Button aria-label={`Roll back to deployment ${number}`} onClick={ask}>
      Roll back
    </Button>
  )
}

function RollbackChanges({ projectId, number }: RollBackProps) {
  const changes = useQuery(rollbackChangesQuery(projectId, number))
  return (
    <Loaded query={changes} what="what it changes">
      {rows =>
        rows.length === 0 ? (
          <p>It changes nothing of what is live.</p>
        ) : (
          <ChangeList name="Rollback" changes={rows} titles={{ from: 'Live now', to: `Deployment ${number}` }} />
        )
      }
    </Loaded>
  )
}
