// The draft against what is live, side by side, with deploy and discard.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SettingsDraft } from '../../api/draft.ts'
import { deployDraft, refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import type { Permission } from '../../api/session.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ChangeList } from './change-list.tsx'
import { draftChangesQuery, type SettingChange } from './queries.ts'

interface ChangesPanelProps {
  draft: SettingsDraft
  may: (permission: Permission) => boolean
  /** The titles of the areas with edits that are not in the draft yet. */
  unsaved: readonly string[]
}

export function ChangesPanel({ draft, may, unsaved }: ChangesPanelProps) {
  const changes = useQuery(draftChangesQuery(draft.project_id))
  return (
    <Section title="Changes that are not live">
      <Loaded query={changes} what="the changes">
        {rows => (
          <>
            <p role="status">
              <Summary count={rows.length} deployedAt={draft.deployed_at} />{' '}
              <Link to="/app/projects/$projectId/deployments" params={{ projectId: draft.project_id }}>
                All deployments
              </Link>
            </p>
            {rows.length > 0 && <ChangeList name="Draft" changes={rows} titles={{ from: 'Deployed', to: 'Draft' }} />}
            {rows.length > 0 && <DraftActions draft={draft} may={may} changes={rows} unsaved={unsaved} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Summary({ count, deployedAt }: { count: number; deployedAt: string | null }) {
  const live =
    deployedAt === null ? (
      'Nothing has been deployed yet: the default settings are live.'
    ) : (
      <>
        Last deployed <Time iso={deployedAt} />.
      </>
    )
  if (count === 0) return <>The draft is the same as what is live. {live}</>
  return (
    <>
      {count === 1 ? '1 change is' : `${count} changes are`} not live until you deploy. {live}
    </>
  )
}

interface DraftActionsProps extends ChangesPanelProps {
  changes: readonly SettingChange[]
}

function DraftActions({ draft, may, changes, unsaved }: DraftActionsProps) {
  const toast = useToast()
  const projectId = draft.project_id
  const deploy = async (): Promise<void> => {
    await deployDraft(projectId)
    toast.show('Deployed. The settings are live within 30 seconds, usually within one.')
  }
  return (
    <div className="flex flex-wrap items-center gap-3">
      {may('settings:deploy') && (
        <ActionButton look="primary" run={deploy} disabled={unsaved.length > 0}>
          Deploy
        </ActionButton>
      )}
      {may('settings:write') && <Discard draft={draft} changes={changes} />}
      {unsaved.length > 0 && <p className="text-warn">Save or undo your edits first: {unsaved.join(', ')}.</p>}
    </div>
  )
}

/** Tiers are not part of what the API restores. */
function Discard({ draft, changes }: Pick<DraftActionsProps, 'draft' | 'changes'>) {
  const confirm = useConfirm()
  const toast = useToast()
  const projectId = draft.project_id
  const hasTiers = changes.some(({ field }) => field.startsWith('tiers.'))
  const isTiersOnly = changes.every(({ field }) => field.startsWith('tiers.'))
  if (draft.deployed_at === null) {
    return <p className="text-soft">There is nothing to go back to before the first deploy.</p>
  }
  if (isTiersOnly) return <p className="text-soft">Changes of tiers are undone on the page of the tiers.</p>
  const ask = () =>
    confirm({
      title: 'Discard the draft?',
      body: (
        <>
          <p>The draft becomes what is live. The values under “Draft” are lost, for everybody who works on it.</p>
          {hasTiers && <p>The changes of tiers stay.</p>}
        </>
      ),
      action: 'Discard draft',
      run: async () => {
        await request('POST', '/auth/v1/projects/{projectId}/settings/discard-draft', { path: { projectId } })
        await refreshSettings(projectId)
        toast.show('The draft is discarded.')
      },
    })
  return <Button onClick={ask}>Discard draft</Button>
}
