// Adds a rejected origin to the origins of the draft. Anybody can send any origin, so it asks first.
import { useQuery } from '@tanstack/react-query'
import { addOrigin } from '../../api/draft.ts'
import { projectQuery, settingsQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { DeployLink } from '../guardrails/deploy-link.tsx'

interface AllowOriginProps {
  projectId: string
  origin: string
  mayWrite: boolean
}

export function AllowOrigin({ projectId, origin, mayWrite }: AllowOriginProps) {
  const draft = useQuery(settingsQuery(projectId))
  const project = useQuery(projectQuery(projectId))
  const confirm = useConfirm()
  if (draft.data === undefined) return null
  const origins = draft.data.cors_origins
  if (origins.includes(origin) || origins.includes('*')) {
    return (
      <>
        Allowed in the draft. <DeployLink projectId={projectId} />
      </>
    )
  }
  if (project.data?.managed_by === 'file')
    return <>If it is your page, allow it in the file that manages the project.</>
  if (!mayWrite) return <>If it is your page, ask a member of the tenant to allow it.</>
  const ask = () =>
    confirm({
      title: 'Allow this origin?',
      body: (
        <p>
          After the next deploy, pages of{' '}
          <bdi>
            <code>{origin}</code>
          </bdi>{' '}
          may call the project. Allow it only if the pages are yours: anybody can send any origin.
        </p>
      ),
      action: 'Allow in the draft',
      run: () => addOrigin(projectId, origin),
    })
  return (
    <Button aria-label={`Allow ${origin}`} onClick={ask}>
      Allow
    </Button>
  )
}
