// The bar of the draft, on every screen of a project: saves what is edited on the screen, and reviews, discards and
// deploys what is not live. Where there is something to edit, it is always there: nothing moves at the first edit.
import { useQuery } from '@tanstack/react-query'
import { useMatches } from '@tanstack/react-router'
import { useState } from 'react'
import { deployDraft, refreshSettings, type SettingsDraft } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import { type OneProject, projectQuery, settingsQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { formsOf, submitForms, useEditedForms } from '../../ui/dialogs/unsaved-edits.tsx'
import { Awaited } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ChangeList } from './change-list.tsx'
import { labelOf } from './fields.ts'
import { draftChangesQuery, type SettingChange, type SettingsWarnings, warningsQuery } from './queries.ts'
import { Warnings } from './warnings.tsx'

/** The screens that edit the draft read more often. */
const refetchInterval = 10_000

export function DeployBar({ projectId }: { projectId: string }) {
  const project = useQuery(projectQuery(projectId))
  const changes = useQuery({ ...draftChangesQuery(projectId), refetchInterval })
  const draft = useQuery(settingsQuery(projectId))
  const warnings = useQuery(warningsQuery(projectId))
  const isOfEditor = useMatches({ select: matches => matches.some(({ staticData }) => staticData.editsDraft === true) })
  const mayEdit = useMayEdit(project.data)('settings:write')
  const queries = [project, changes, draft, warnings]
  if (queries.some(({ isLoading }) => isLoading)) return <Awaited queries={queries} />
  if (project.data === undefined || changes.data === undefined) return null
  if (changes.data.length === 0 && !(isOfEditor && mayEdit)) return null
  return <Bar project={project.data} changes={changes.data} draft={draft.data} found={warnings.data} />
}

interface BarProps {
  project: OneProject
  changes: readonly SettingChange[]
  draft: SettingsDraft | undefined
  found: SettingsWarnings | undefined
}

function Bar({ project, changes, draft, found }: BarProps) {
  const projectId = project.id
  const may = useMay(project.tenant_id)
  const mayEdit = useMayEdit(project)
  const edited = useEditedForms().filter(({ areThere }) => areThere)
  const formIds = edited.flatMap(({ formId }) => formId ?? [])
  const warnings = found?.draft ?? []
  const [isReviewed, setReviewed] = useState(false)
  const isClean = changes.length === 0 && edited.length === 0
  const deployment = may('settings:deploy') && <Deploy projectId={projectId} disabled={edited.length > 0} />
  return (
    <section
      aria-label="Changes of the draft"
      className={classNames(
        'sticky top-12 z-10 flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2 text-sm md:px-8',
        isClean ? 'bg-side' : 'bg-warn-tint',
      )}
    >
      <p
        role="status"
        className={classNames(
          'flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3',
          formIds.length > 0 ? 'basis-32' : 'basis-48',
        )}
      >
        {edited.length > 0 && (
          <span className="font-semibold">
            {formIds.length > 0 ? 'Not saved: ' : 'Save or undo your edits first'}
            {edited.map(({ names }) => names).join(', ')}
          </span>
        )}
        <Count changes={changes} isOnlyNote={edited.length > 0} />
        {warnings.length > 0 && <Badge tone="danger">A model has no price</Badge>}
      </p>
      {formIds.length > 0 && <SaveButtons formIds={formIds} />}
      {formIds.length === 0 && changes.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {mayEdit('settings:write') && draft?.deployed_at && <Discard projectId={projectId} changes={changes} />}
          <Button onClick={() => setReviewed(true)}>Review</Button>
          {deployment}
        </div>
      )}
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

function Count({ changes, isOnlyNote }: { changes: readonly SettingChange[]; isOnlyNote: boolean }) {
  if (changes.length === 0)
    return !isOnlyNote && <span className="text-soft">The draft is the same as what is live.</span>
  const text = changes.length === 1 ? '1 change is not live' : `${changes.length} changes are not live`
  if (isOnlyNote) return <span className="text-soft max-sm:hidden">{text}</span>
  return (
    <>
      <span className="font-semibold">{text}</span>
      <bdi className="truncate text-soft max-sm:hidden">{changes.map(({ field }) => labelOf(field)).join(', ')}</bdi>
    </>
  )
}

function SaveButtons({ formIds }: { formIds: readonly string[] }) {
  const undo = (): void => {
    for (const form of formsOf(formIds)) form.reset()
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={undo}>Undo edits</Button>
      <Button look="primary" onClick={() => submitForms(formIds)}>
        Save draft
      </Button>
    </div>
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
          <p>The draft is reset to the live settings. Its changes are lost, for everybody who works on it.</p>
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
