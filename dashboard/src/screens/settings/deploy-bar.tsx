// What of the draft is not live, on every screen of a project, with the way to review, discard and deploy it.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deployDraft, refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import { type OneProject, projectQuery, settingsQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { useUnsavedEdits } from '../../ui/dialogs/unsaved-edits.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ChangeList } from './change-list.tsx'
import { labelOf } from './fields.ts'
import { draftChangesQuery, type SettingChange, warningsQuery } from './queries.ts'
import { Warnings } from './warnings.tsx'

/** The screens that edit the draft read more often. */
const refetchInterval = 10_000

export function DeployBar({ projectId }: { projectId: string }) {
  const project = useQuery(projectQuery(projectId))
  const { data: changes = [] } = useQuery({ ...draftChangesQuery(projectId), refetchInterval })
  if (project.data === undefined || changes.length === 0) return null
  return <Bar project={project.data} changes={changes} />
}

interface BarProps {
  project: OneProject
  changes: readonly SettingChange[]
}

function Bar({ project, changes }: BarProps) {
  const projectId = project.id
  const may = useMay(project.tenant_id)
  const mayEdit = useMayEdit(project)
  const unsaved = useUnsavedEdits()
  const { data: draft } = useQuery(settingsQuery(projectId))
  const { data: found } = useQuery(warningsQuery(projectId))
  const warnings = found?.draft ?? []
  const [isReviewed, setReviewed] = useState(false)
  const deployment = may('settings:deploy') && <Deploy projectId={projectId} disabled={unsaved.areThere} />
  return (
    <section
      aria-label="Changes of the draft"
      className="sticky top-12 z-10 flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-warn-tint px-4 py-2 text-sm md:px-8"
    >
      <p role="status" className="flex min-w-0 flex-1 basis-48 flex-wrap items-baseline gap-x-3">
        <span className="font-semibold">
          {changes.length === 1 ? '1 change is not live' : `${changes.length} changes are not live`}
        </span>
        <bdi className="truncate text-soft max-sm:hidden">{changes.map(({ field }) => labelOf(field)).join(', ')}</bdi>
        {warnings.length > 0 && <Badge tone="danger">A model has no price</Badge>}
        {unsaved.areThere && (
          <span className="text-warn">
            Save or undo your edits first{unsaved.names !== '' && `: ${unsaved.names}`}.
          </span>
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        {mayEdit('settings:write') && draft?.deployed_at && <Discard projectId={projectId} changes={changes} />}
        <Button onClick={() => setReviewed(true)}>Review</Button>
        {deployment}
      </div>
      {isReviewed && (
        <Dialog title="Changes that are not live" look="wide" onClose={() => setReviewed(false)}>
          <div className="mb-3 empty:hidden">
            <Warnings tenantId={project.tenant_id} warnings={warnings} areLive={found?.deployed.length !== 0} />
          </div>
          <Notes changes={changes} isFirst={draft?.deployed_at === null} />
          <ChangeList name="Draft" changes={changes} titles={{ from: 'Deployed', to: 'Draft' }} />
          <div className="mt-4 flex flex-wrap gap-2">
            {deployment}
            <Button onClick={() => setReviewed(false)}>Close</Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function Deploy({ projectId, disabled }: { projectId: string; disabled: boolean }) {
  const toast = useToast()
  const deploy = async (): Promise<void> => {
    await deployDraft(projectId)
    toast.show('Deployed. The settings are live within 30 seconds, usually within one.')
  }
  return (
    <ActionButton look="primary" run={deploy} disabled={disabled}>
      Deploy
    </ActionButton>
  )
}

/** What cannot be discarded. */
function Notes({ changes, isFirst }: { changes: readonly SettingChange[]; isFirst: boolean }) {
  if (isFirst) return <p className="mb-3 text-sm text-soft">There is nothing to go back to before the first deploy.</p>
  if (!changes.some(({ field }) => field.startsWith('tiers.'))) return null
  return <p className="mb-3 text-sm text-soft">Changes of tiers are undone on the page of the tiers.</p>
}

/** Sets the draft back to what is live. Tiers are not part of what the API restores. */
function Discard({ projectId, changes }: { projectId: string; changes: readonly SettingChange[] }) {
  const confirm = useConfirm()
  const toast = useToast()
  const tiers = changes.filter(({ field }) => field.startsWith('tiers.'))
  if (tiers.length === changes.length) return null
  const ask = () =>
    confirm({
      title: 'Discard the draft?',
      body: (
        <>
          <p>The draft becomes what is live. Its changes are lost, for everybody who works on it.</p>
          {tiers.length > 0 && <p>The changes of tiers stay.</p>}
        </>
      ),
      action: 'Discard draft',
      run: async () => {
        await request('POST', '/auth/v1/projects/{projectId}/settings/discard-draft', { path: { projectId } })
        await refreshSettings(projectId)
        toast.show('The draft is discarded.')
      },
    })
  return (
    <Button aria-label="Discard draft" onClick={ask}>
      Discard
    </Button>
  )
}
