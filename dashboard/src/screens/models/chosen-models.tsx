// The model that answers a project's requests and the draft beside it, which can be made live or discarded.
import { Link } from '@tanstack/react-router'
import { refreshSettings, type SettingsDraft } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import type { Permission } from '../../api/session.ts'
import { ActionButton, Button, buttonClass } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'

export type Chosen = Pick<SettingsDraft, 'provider_model' | 'draft_provider_model'>

interface ChosenModelsProps {
  projectId: string
  chosen: Chosen
  /** The default model of the installation; null if it has none, or while the models are read. */
  defaultModel: string | null
  /** Whether the tenant has a model that can be chosen. */
  canChoose: boolean
  may: (permission: Permission) => boolean
  mayEdit: (permission: Permission) => boolean
}

export function ChosenModels({ projectId, chosen, defaultModel, canChoose, may, mayEdit }: ChosenModelsProps) {
  const { provider_model: live, draft_provider_model: draft } = chosen
  return (
    <Section title="Live and draft">
      <dl className="grid max-w-2xl grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        <dt className="text-soft">Live</dt>
        <dd>{live === null ? <DefaultModel id={defaultModel} /> : <code>{live}</code>}</dd>
        <dt className="text-soft">Draft</dt>
        <dd>{draft === null ? noDraft(canChoose) : <code>{draft}</code>}</dd>
      </dl>
      {draft !== null && <DraftActions projectId={projectId} live={live} draft={draft} may={may} mayEdit={mayEdit} />}
    </Section>
  )
}

const noDraft = (canChoose: boolean): string => (canChoose ? 'None: choose one below' : 'None')

function DefaultModel({ id }: { id: string | null }) {
  if (id === null) return 'The default model of the installation, if it has one'
  return (
    <>
      <code>{id}</code>, the default model of the installation
    </>
  )
}

interface DraftActionsProps extends Pick<ChosenModelsProps, 'projectId' | 'may' | 'mayEdit'> {
  live: string | null
  draft: string
}

function DraftActions({ projectId, live, draft, may, mayEdit }: DraftActionsProps) {
  const confirm = useConfirm()
  const toast = useToast()
  const path = { projectId }
  const publish = () =>
    confirm({
      title: 'Deploy the draft model?',
      body: (
        <p>
          All requests of the project’s end users are answered by <code>{draft}</code> at once, in place of{' '}
          {live === null ? 'the default model of the installation' : <code>{live}</code>}. Tiers with a model of their
          own keep it. Other settings of the draft are not deployed.
        </p>
      ),
      action: 'Deploy model',
      run: async () => {
        await request('POST', '/auth/v1/projects/{projectId}/settings/model/publish', { path })
        await refreshSettings(projectId)
        toast.show('The model is live.')
      },
    })
  const discard = async (): Promise<void> => {
    await request('DELETE', '/auth/v1/projects/{projectId}/settings/model/draft', { path })
    await refreshSettings(projectId)
    toast.show('The draft model is discarded.')
  }
  return (
    <div className="flex flex-wrap gap-3">
      {may('settings:write') && (
        <Link to="/app/projects/$projectId/playground" params={{ projectId }} className={buttonClass()}>
          Try it in the playground
        </Link>
      )}
      {may('settings:deploy') && (
        <Button look="primary" onClick={publish}>
          Deploy the draft model
        </Button>
      )}
      {mayEdit('settings:write') && <ActionButton run={discard}>Discard the draft model</ActionButton>}
    </div>
  )
}
